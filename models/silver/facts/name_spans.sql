-- One row per name of a table that statements are about: what the name means along the log, line by
-- line, from a position or a time on.

with spans as (

    select
        replays.source,
        span.*
    from {{ ref('replays') }} as replays
        lateral view explode(replays.replay.spans) as span
    where replays.marked_unit is null

)

select
    source,
    to_json(array(source, database_name, schema_name, table_name)) as name_id,
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
