-- Heartbeats, transactions, and whatever else is neither a row nor a statement.

select
    envelope,
    topic,
    source,
    partition,
    offset,
    row_index,
    batch,
    received_at,
    event_at,
    operation as kind,
    transaction_id,
    statement,
    built_at
from {{ ref('changes') }}
where class = 'control'
