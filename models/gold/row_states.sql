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

with {% if rebuilt %}rebuilt_tables as (

    {{ rebuilt_tables }}

),

{% endif %}changed as (

    select
        {{ columns }}
    from {{ ref('row_effects') }}
    where
        built_at > row_states_read_to
        {{ 'and table_id not in (select table_id from rebuilt_tables)' if rebuilt }}

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
    {% endif %}
    {% if rebuilt %}
    union all
    select
        {{ columns }}
    from {{ ref('row_effects') }} as logged
    left semi join rebuilt_tables on logged.table_id = rebuilt_tables.table_id
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

{% if is_incremental() and not rebuilt %}
uncovered as (

    select * from effects

),
{% else %}
-- Most of a long log is bases that a later one covers. Only the rest is worth to be carried whole:
-- the last base of a row, found by hashes, and all that is not a base.
last_bases as (

    select max_by(xxhash64(state_id, base_position), base_position) as base_hash
    from effects
    where
        base_position is not null
        and column_values is null
    group by state_id

),

uncovered as (

    select /*+ broadcast(last_bases) */
        {{ columns }}
    from effects
    left semi join last_bases
        on xxhash64(effects.state_id, effects.base_position) = last_bases.base_hash
    where
        base_position is not null
        and column_values is null
    union all
    select
        {{ columns }}
    from effects
    where
        base_position is null
        or column_values is not null

),
{% endif %}

bases as (

    select
        state_id,
        max_by(
            struct(
                table_id,
                source,
                schema_name,
                table_name,
                key,
                change_id,
                event_at,
                value_encoding,
                column_types,
                time_zone
            ),
            coalesce(log_position, '')
        ) as last,
        max_by(database_name, coalesce(log_position, '')) filter (
            where database_name is not null
        ) as database_name,
        max(log_position) as log_position,
        max(base_position) as base_position,
        max_by(struct(is_base_live, base_row), coalesce(base_position, '')) filter (
            where base_position is not null or base_row is not null
        ) as base,
        sum(copies) as copies
    from uncovered
    group by state_id

),

-- Per column of the partial images, the last writer.
column_writes as (

    select
        uncovered.state_id,
        written.column_name,
        max_by(written.write, written.write.position) as write
    from uncovered
        lateral view explode(uncovered.column_values) written as column_name, write
    group by
        uncovered.state_id,
        written.column_name

),

column_values as (

    select
        state_id,
        map_from_entries(collect_list(struct(column_name, write))) as column_values
    from column_writes
    group by state_id

),

folded as (

    select
        bases.*,
        map_filter(
            column_values.column_values,
            (name, write) -> write.position > coalesce(bases.base_position, '')
        ) as column_values
    from bases
    left join column_values on bases.state_id = column_values.state_id

)

select
    state_id,
    last.table_id,
    last.source,
    database_name,
    last.schema_name,
    last.table_name,
    last.key,
    base_position,
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
    log_position,
    last.change_id,
    last.event_at,
    last.value_encoding,
    last.column_types,
    last.time_zone,
    current_timestamp() as built_at
from folded
