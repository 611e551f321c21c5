-- Heartbeats, transaction marks and what else is no row and no statement.

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
