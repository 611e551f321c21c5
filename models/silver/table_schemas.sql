-- One row per column of each version of a table, as the log's own statements give it.

select
    name_spans.source,
    name_spans.database_name,
    name_spans.schema_name,
    name_spans.table_name,
    place + 1 as ordinal,
    listed.column_name,
    listed.data_type,
    listed.is_key,
    span.from_position as valid_from_position
from {{ ref('name_spans') }} as name_spans
    lateral view explode(name_spans.spans) as span
    lateral view posexplode(span.columns) as place, listed
where
    span.line is not null
    and span.from_position is not null
