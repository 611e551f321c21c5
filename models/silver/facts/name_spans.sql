-- One row per name of a table that statements are about: what the name means along the log, line by
-- line, from a position or a time on.

select
    source,
    to_json(array(source, span.database_name, span.schema_name, span.table_name)) as name_id,
    span.database_name,
    span.schema_name,
    span.table_name,
    sort_array(collect_list(struct(
        span.line,
        span.number,
        span.from_position,
        span.from_at,
        {{ table_id('source', 'span.identity') }} as table_id,
        span.columns,
        span.columns.column_name as column_names,
        span.key_columns,
        span.topic_key_columns
    ))) as spans
from {{ ref('replays') }}
    lateral view explode(replay.spans) as span
group by
    source,
    span.database_name,
    span.schema_name,
    span.table_name
