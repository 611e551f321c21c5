{{ config(severity='warn', store_failures_as='view') }}
-- Statements that empty, drop or swap a partition: the log does not say which rows lay in it, so
-- gold still shows them.

select
    source,
    topic,
    partition,
    offset,
    statement
from {{ ref('ddl_log') }}
where exists(
    statements,
    part -> part.kind in ('truncate_partition', 'drop_partition', 'exchange_partition')
)
