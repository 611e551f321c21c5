{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='name_id'
    )
}}
-- What each table's name means along the log, as far as statements say: which table, with which
-- columns. A row here is new or changed; `changes` says from where on it means something else than
-- it did, and since when: what is built on it may have missed the build before. A name of which no
-- statement says anything any more keeps its row, without spans.

with replays as (

    select * from {{ ref('ddl_replays') }}
    where built_at > {{ last_read() }}

),

spans as (

    select
        replays.source,
        span.*
    from replays
        lateral view explode(replays.replay.spans) as span

),

named as (

    select
        to_json(array(source, database_name, schema_name, table_name)) as name_id,
        source,
        database_name,
        schema_name,
        table_name,
        sort_array(collect_list(struct(
            line,
            number,
            from_position,
            from_at,
            {{ table_id('source', 'identity') }} as table_id,
            columns,
            columns.column_name as column_names,
            key_columns
        ))) as spans
    from spans
    group by
        source,
        database_name,
        schema_name,
        table_name

),

known as (

    {% if is_incremental() %}
    select * from {{ this }}
    {% else %}
    select
        *,
        cast(null as map<struct<line: string, from_position: string, from_at: bigint>, timestamp>)
            as changes
    from named
    where false
    {% endif %}

),

current as (

    select * from named
    union all
    select
        known.name_id,
        known.source,
        known.database_name,
        known.schema_name,
        known.table_name,
        array() as spans
    from known
    left semi join replays on known.source = replays.source
    left anti join named on known.name_id = named.name_id

),

compared as (

    select
        current.*,
        coalesce(known.changes, map()) as known_changes,
        transform(
            array_union(
                array_except(current.spans, coalesce(known.spans, array())),
                array_except(coalesce(known.spans, array()), current.spans)
            ),
            span -> struct(span.line, span.from_position, span.from_at)
        ) as places
    from current
    left join known on current.name_id = known.name_id
    where not current.spans <=> known.spans

)

select
    * except (known_changes, places),
    map_concat(
        known_changes,
        map_from_arrays(places, array_repeat(current_timestamp(), size(places)))
    ) as changes,
    current_timestamp() as built_at
from compared
