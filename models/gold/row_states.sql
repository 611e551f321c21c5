{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='state_id',
        tblproperties={
            'delta.enableDeletionVectors': 'true',
            'delta.dataSkippingStatsColumns': 'built_at,table_id,state_id'
        },
        pre_hook="{{ refuse_silent_replacement() }}"
    )
}}
-- The state of every row that a table has or had: a fold that does not care in which order changes
-- come. A stored state reads like one more change's effect, so a batch is folded with the states of
-- the rows that it touches. Tables whose log was resolved anew are folded from the whole log.

{%- set read_to = last_read() %}
{#- Planning a rebuild costs more than to merge a small batch: it is there where a table waits. #}
{%- set rebuilt_tables %}
    select table_id
    from {{ source('bronze', 'rebuilt_tables') }}
    where rebuilt_at > {{ read_to }}
    union distinct
    select table_id
    from {{ ref('table_effects') }}
    where built_at > {{ read_to }}
{%- endset %}
{%- set count_of_changes %}
    select count(*)
    from {{ ref('change_log') }}
    where built_at > {{ read_to }}
{%- endset %}
{%- if execute and is_incremental() %}
    {%- set rebuilt = run_query(
        'select 1 from ' ~ this ~ ' where table_id in (' ~ rebuilt_tables ~ ') limit 1'
    ) | length %}
    {#- Every task gets the ids of the rows that so many changes touch: a tenth of Spark's memory at
        most. To shuffle the states instead took half of a merge into 5,000,000. #}
    {%- set is_small_batch = run_query(count_of_changes).columns[0][0] <= 1000000 %}
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
        {{ columns }},
        row_image,
        sets_columns
    from {{ ref('row_effects') }}
    where
        built_at > {{ read_to }}
        or {{ 'table_id in (select table_id from rebuilt_tables)' if rebuilt else 'false' }}

),

{% if is_incremental() %}
touched as (

    select distinct state_id
    from {{ ref('row_effects') }}
    where built_at > {{ read_to }}

),
{% endif %}

effects as (

    select
        {{ columns }},
        row_image,
        sets_columns,
        null as column_values
    from changed
    {% if is_incremental() %}
    union all
    select {{ '/*+ broadcast(touched) */' if is_small_batch }}
        {{ columns }},
        if(column_values is null, row, base_row) as row_image,
        false as sets_columns,
        column_values
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
        if(copies is null, null, 0) as copies,
        null as log_position,
        change_id,
        event_at,
        value_encoding,
        column_types,
        time_zone,
        null as row_image,
        false as sets_columns,
        null as column_values
    from {{ this }} as known
    left semi join rebuilt_tables on known.table_id = rebuilt_tables.table_id
    {% endif %}

),

-- A row's last change and its base, before what they say is looked at: of most rows of a long log
-- nothing but this is needed.
placed as (

    select
        *,
        max(log_position) over (partition by state_id) as greatest_position,
        max(base_position) over (partition by state_id) as greatest_base_position,
        sum(copies) over (partition by state_id) as sum_of_copies
    from effects

),

uncovered as (

    select
        * except (column_values),
        log_position <=> greatest_position as is_last,
        -- Without a key there is no base to compare with.
        (base_position is not null or (row_image is not null and not sets_columns))
        and base_position <=> greatest_base_position as is_base,
        map_filter(
            if(
                sets_columns,
                transform_values(
                    row_image, (name, value) -> struct(log_position as position, value)
                ),
                column_values
            ),
            (name, write) -> write.position > coalesce(greatest_base_position, '')
        ) as column_values
    from placed

),

-- One row an effect that counts, or one a column of a partial image.
spread as (

    select
        uncovered.state_id,
        written.column_name,
        written.write,
        if(
            uncovered.is_last,
            struct(
                uncovered.table_id,
                uncovered.source,
                uncovered.database_name,
                uncovered.schema_name,
                uncovered.table_name,
                uncovered.key,
                uncovered.log_position,
                uncovered.change_id,
                uncovered.event_at,
                uncovered.value_encoding,
                uncovered.column_types,
                uncovered.time_zone
            ),
            null
        ) as last,
        if(
            uncovered.is_base,
            struct(
                uncovered.base_position,
                uncovered.is_base_live,
                uncovered.row_image as base_row
            ),
            null
        ) as base,
        uncovered.sum_of_copies as copies
    from uncovered
        lateral view outer explode(uncovered.column_values) written as column_name, write
    where
        uncovered.is_last
        or uncovered.is_base
        or size(uncovered.column_values) > 0

),

last_writes as (

    select
        state_id,
        column_name,
        max_by(write, write.position) as write,
        any_value(last, true) as last,
        any_value(base, true) as base,
        max(copies) as copies
    from spread
    group by
        state_id,
        column_name

),

folded as (

    select
        state_id,
        any_value(last, true) as last,
        any_value(base, true) as base,
        max(copies) as copies,
        map_from_entries(
            collect_list(struct(column_name, write)) filter (where column_name is not null)
        ) as column_values
    from last_writes
    group by state_id

)

select
    state_id,
    last.table_id,
    last.source,
    last.database_name,
    last.schema_name,
    last.table_name,
    last.key,
    base.base_position,
    coalesce(base.is_base_live, false) as is_base_live,
    -- The row itself where no columns were set after it.
    if(size(column_values) > 0, base.base_row, null) as base_row,
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
    last.log_position,
    last.change_id,
    last.event_at,
    last.value_encoding,
    last.column_types,
    last.time_zone,
    current_timestamp() as built_at
from folded
