-- One row per change of one row: the log that everything above reads.

select
    change_id,
    envelope,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    database_identity,
    operation,
    before,
    after,
    key,
    previous_key,
    column_types,
    value_encoding,
    transaction_id,
    event_at,
    log_position,
    previous_key_position,
    is_partial,
    image,
    messages,
    built_at,
    partition,
    offset,
    row_index,
    batch,
    received_at
from {{ ref('resolved_events') }}
where class = 'change'
