-- DDL statements as the sources sent them, in the order of their logs.

select
    envelope,
    topic,
    source,
    partition,
    offset,
    batch,
    received_at,
    event_at,
    log_position,
    database_name,
    schema_name,
    table_name,
    statement,
    operation as kind,
    statement_meta,
    built_at
from {{ ref('resolved_events') }}
where class = 'ddl'
