{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='state_id',
        tblproperties={
            'delta.enableDeletionVectors': 'true',
            'delta.dataSkippingStatsColumns': 'built_at,table_id,state_id'
        },
        pre_hook=[
            "{{ refuse_silent_replacement() }}",
            "{{ declare_last_read() }}",
            "{{ set_last_read() }}"
        ]
    )
}}
-- The state of every row that a table has or had: a fold that does not care in which order changes
-- come. A stored state has the shape of a change's effect, so a batch is folded with the states of
-- the rows that it touches. Tables whose log was resolved anew are folded from the whole log.

{#- Planning a rebuild costs more than to merge a small batch: it is there where a table waits. #}
{%- set rebuilt_tables %}
    select table_id
    from {{ source('bronze', 'rebuilt_tables') }}
    where rebuilt_at > (select max(built_at) from {{ this }})
    union distinct
    select table_id
    from {{ ref('table_effects') }}
    where built_at > (select max(built_at) from {{ this }})
{%- endset %}
{%- if execute and is_incremental() %}
    {%- set rebuilt = run_query(
        'select 1 from ' ~ this ~ ' where table_id in (' ~ rebuilt_tables ~ ') limit 1'
    ) | length %}
{%- endif %}
{%- set columns = [
    'state_id',
    'table_id',
    'source',
    'database_name',
    'schema_name',
    'table_name',
    'key',
    'base_position',
    'is_base_live',
    'base_row',
    'column_values',
    'copies',
    'log_position',
    'change_id',
    'event_at',
    'value_encoding',
    'column_types',
    'time_zone',
] | join(',\n        ') %}

with {{ 'rebuilt_tables as (' ~ rebuilt_tables ~ '),' if rebuilt }}

changed as (

    select
        {{ columns }}
    from {{ ref('row_effects') }}
    where
        built_at > row_states_read_to
        or {{ 'table_id in (select table_id from rebuilt_tables)' if rebuilt else 'false' }}

),

{% if is_incremental() %}
touched as (

    select distinct state_id
    from changed

),
{% endif %}

effects as (

    select
        {{ columns }}
    from changed
    {% if is_incremental() %}
    union all
    select
        {{ columns }}
    from {{ this }} as known
    left semi join touched on known.state_id = touched.state_id
    {% if rebuilt %}
    left anti join rebuilt_tables on known.table_id = rebuilt_tables.table_id
    {% endif %}
    {% endif %}
    {% if rebuilt %}
    union all
    -- Rows that a rebuilt table no longer has stay as tombstones, so that readers hear of them.
    select
        state_id,
        table_id,
        source,
        database_name,
        schema_name,
        table_name,
        key,
        null as base_position,
        false as is_base_live,
        null as base_row,
        null as column_values,
        if(copies is null, null, 0) as copies,
        null as log_position,
        change_id,
        event_at,
        value_encoding,
        column_types,
        time_zone
    from {{ this }} as known
    left semi join rebuilt_tables on known.table_id = rebuilt_tables.table_id
    {% endif %}

),

-- One row an effect, or one a column of a partial image. The rows of one state are brought together
-- once, for both steps of the fold.
spread as (

    select
        effects.state_id,
        written.column_name,
        written.write,
        struct(
            effects.table_id,
            effects.source,
            effects.database_name,
            effects.schema_name,
            effects.table_name,
            effects.key,
            effects.change_id,
            effects.event_at,
            effects.value_encoding,
            effects.column_types,
            effects.time_zone
        ) as last,
        coalesce(effects.log_position, '') as last_rank,
        struct(effects.is_base_live, effects.base_row) as base,
        case
            when effects.base_position is not null or effects.base_row is not null
                then coalesce(effects.base_position, '')
        end as base_rank,
        effects.copies
    from effects
        lateral view outer explode(effects.column_values) written as column_name, write
    distribute by effects.state_id

),

last_writes as (

    select
        state_id,
        column_name,
        max_by(write, write.position) as write,
        max_by(last, last_rank) as last,
        max(last_rank) as last_rank,
        max_by(base, base_rank) as base,
        max(base_rank) as base_rank,
        sum(copies) as copies
    from spread
    group by
        state_id,
        column_name

),

folded as (

    select
        state_id,
        max_by(last, last_rank) as last,
        max(last_rank) as last_rank,
        max_by(base, base_rank) as base,
        max(base_rank) as base_rank,
        sum(copies) as copies,
        map_from_entries(
            collect_list(struct(column_name, write)) filter (where column_name is not null)
        ) as column_writes
    from last_writes
    group by state_id

),

uncovered as (

    select
        *,
        map_filter(
            column_writes, (name, write) -> write.position > coalesce(base_rank, '')
        ) as column_values
    from folded

)

select
    state_id,
    last.table_id,
    last.source,
    last.database_name,
    last.schema_name,
    last.table_name,
    last.key,
    -- Without a key there is no base to compare with.
    nullif(base_rank, '') as base_position,
    coalesce(base.is_base_live, false) as is_base_live,
    base.base_row,
    if(size(column_values) > 0, column_values, null) as column_values,
    cast(copies as int) as copies,
    coalesce(base.is_base_live or size(column_values) > 0 or copies <> 0, false) as is_live,
    case
        when size(column_values) > 0
            then map_concat(
                coalesce(base.base_row, cast(map() as map<string, string>)),
                transform_values(column_values, (name, write) -> write.value)
            )
        else base.base_row
    end as row,
    nullif(last_rank, '') as log_position,
    last.change_id,
    last.event_at,
    last.value_encoding,
    last.column_types,
    last.time_zone,
    current_timestamp() as built_at
from uncovered
