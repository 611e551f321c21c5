{{ config(severity='warn') }}
-- Columns of typed models that a statement dropped, renamed, or gave a type which the model's type
-- cannot hold: from there on the model shows NULL, or values that did not fit. No view keeps what
-- it finds: with many typed models its text would be too long for the metastore.

{%- set typed_columns = [] %}
{%- for model in graph.nodes.values()
    if execute and model.resource_type == 'model' and model.config.meta.source_table %}
    {%- for column in model.columns.values() %}
        {%- do typed_columns.append({
            'model': model.name,
            'table': model.config.meta.source_table,
            'name': column.config.meta.source_column or column.name,
            'data_type': column.data_type,
        }) %}
    {%- endfor %}
{%- endfor %}

{%- set unfit = [] %}
{%- if execute and load_relation(ref('table_effects')) %}
    {%- for declared in run_query(
        'select distinct change.value from ' ~ ref('table_effects')
        ~ ' lateral view explode(type_changes) as change'
    ).columns[0].values() %}
        {%- for contract_type in typed_columns | map(attribute='data_type') | unique
            if not modules.onelog.fits(declared, none, contract_type) %}
            {%- do unfit.append([contract_type, declared]) %}
        {%- endfor %}
    {%- endfor %}
{%- endif %}

with typed_columns as (

    -- A project may have none.
    select
        '' as model_name,
        '' as source,
        '' as database_name,
        '' as schema_name,
        '' as table_name,
        '' as column_name,
        '' as contract_type
    where false
    {% for column in typed_columns %}
    union all
    select
        '{{ column.model }}',
        {% for part in ['source', 'database_name', 'schema_name', 'table_name'] %}
        {{ text_literal(column.table[part] or '') }},
        {% endfor %}
        {{ text_literal(column.name) }},
        {{ text_literal(column.data_type) }}
    {% endfor %}

),

tables as (

    select distinct
        table_id,
        source,
        database_name,
        schema_name,
        table_name
    from {{ ref('row_states') }}

),

changes as (

    select
        table_id,
        concat(column_changes, type_changes) as changes,
        place,
        change.*
    from {{ ref('table_effects') }}
        lateral view posexplode(concat(column_changes, type_changes)) as place, change

),

-- A change that a later statement takes back does not count.
standing as (

    select *
    from changes
    where
        action in ('drop', 'rename', 'modify')
        and not exists(
            slice(changes, place + 2, size(changes)),
            later -> lower(column_name) <=> case
                when action = 'modify' and later.action = 'modify' then lower(later.column_name)
                when action <> 'modify' and later.action = 'add' then lower(later.column_name)
                when action <> 'modify' and later.action = 'rename' then lower(later.new_name)
            end
        )

)

select
    typed_columns.model_name,
    typed_columns.column_name,
    standing.action,
    coalesce(standing.new_name, standing.value) as becomes,
    ddl_log.statement,
    standing.position
from typed_columns
inner join tables
    on
        typed_columns.source = tables.source
        and typed_columns.table_name = tables.table_name
        and typed_columns.database_name in ('', coalesce(tables.database_name, ''))
        and typed_columns.schema_name in ('', coalesce(tables.schema_name, ''))
inner join standing
    on
        tables.table_id = standing.table_id
        and lower(typed_columns.column_name) = lower(standing.column_name)
left join {{ ref('ddl_log') }} as ddl_log
    on
        tables.source = ddl_log.source
        and standing.position = ddl_log.log_position
where
    standing.action <> 'modify'
    or struct(typed_columns.contract_type, standing.value) in (
        {% for contract_type, declared in unfit %}
        struct({{ text_literal(contract_type) }}, {{ text_literal(declared) }}),
        {% endfor %}
        struct('', '')
    )
