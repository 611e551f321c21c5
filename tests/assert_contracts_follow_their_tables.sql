{{ config(severity='warn') }}
-- Columns of typed models that a statement dropped, renamed, or gave a type which the model's type
-- cannot hold: from there on the model shows NULL, or values that did not fit. No view keeps what
-- it finds: with many typed models its text would be too long for the metastore.

{%- set typed_columns = [] %}
{%- for model in graph.nodes.values()
    if execute and model.resource_type == 'model' and model.config.meta.source_table %}
    {%- for column in model.columns.values()
        if column.config.meta.source_column or column.name not in modules.onelog.OWN_COLUMNS %}
        {%- do typed_columns.append({
            'model': model.name,
            'table': model.config.meta.source_table,
            'name': column.config.meta.source_column or column.name,
            'data_type': column.data_type,
        }) %}
    {%- endfor %}
{%- endfor %}

{%- set unfit, table_effects = [], ref('table_effects') %}
{%- if execute and load_relation(table_effects) %}
    {%- for declared in run_query(
        'select distinct change.value from ' ~ table_effects
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

-- By every name of the database: a typed model takes it with OMS's tenant and without.
named_tables as (

    select distinct
        tables.* except (database_name),
        spelled.database_name
    from tables
    left join {{ ref('mention_names') }} as mention_names
        on
            tables.source = mention_names.source
            and tables.table_name = mention_names.table_name
            and tables.database_name
            in (mention_names.database_name, mention_names.database_identity)
        lateral view explode(array(
            tables.database_name, mention_names.database_name, mention_names.database_identity
        )) spelled as database_name

),

-- Every effect of statements on a table, in the order in which they act, since it was last dropped.
effects as (

    select
        {{ table_id('source', 'replayed.identity') }} as table_id,
        slice(
            replayed.effects,
            array_max(transform(
                replayed.effects,
                (effect, place) -> if(effect.action = 'floor' and effect.value = 'drop', place, -1)
            )) + 2,
            size(replayed.effects)
        ) as effects
    from {{ ref('replays') }}
        lateral view explode(replay.tables) as replayed
    where
        marked_unit is null
        and size(replayed.effects) > 0

),

changes as (

    select
        table_id,
        place,
        change.*,
        slice(effects, place + 2, size(effects)) as later_changes
    from effects
        lateral view posexplode(effects) as place, change

),

named as (

    select
        *,
        aggregate(
            filter(later_changes, later -> later.action = 'rename'),
            column_name,
            (name, later) -> if(lower(later.column_name) = lower(name), later.new_name, name)
        ) as present_name
    from changes

),

last_changes as (

    select
        *,
        max(if(action in ('modify', 'drop'), place, null))
            over (partition by table_id, lower(present_name))
            as last_place
    from named

),

-- A change that a later statement takes back does not count. A type is that of the column by its
-- present name.
standing as (

    select
        * except (column_name),
        if(action = 'modify', present_name, column_name) as column_name
    from last_changes
    where
        (action = 'modify' and place = last_place)
        or (
            action in ('drop', 'rename')
            and not exists(
                later_changes,
                later -> lower(column_name) <=> case
                    when later.action = 'add' then lower(later.column_name)
                    when later.action = 'rename' then lower(later.new_name)
                end
            )
        )

)

select distinct
    typed_columns.model_name,
    typed_columns.column_name,
    standing.action,
    coalesce(standing.new_name, standing.value) as becomes,
    ddl_log.statement,
    standing.position
from typed_columns
inner join named_tables
    on
        typed_columns.source = named_tables.source
        and typed_columns.table_name = named_tables.table_name
        and typed_columns.database_name in ('', coalesce(named_tables.database_name, ''))
        and typed_columns.schema_name in ('', coalesce(named_tables.schema_name, ''))
inner join standing
    on
        named_tables.table_id = standing.table_id
        and lower(typed_columns.column_name) = lower(standing.column_name)
left join {{ ref('ddl_log') }} as ddl_log
    on
        named_tables.source = ddl_log.source
        and standing.position = ddl_log.log_position
where
    standing.action <> 'modify'
    or struct(typed_columns.contract_type, standing.value) in (
        {% for contract_type, declared in unfit %}
        struct({{ text_literal(contract_type) }}, {{ text_literal(declared) }}),
        {% endfor %}
        struct('', '')
    )
