-- One row per event that an earlier message had brought. Only events with equal hashes are
-- compared: most traffic has none.

with repeated_hashes as (

    select id_hash
    from {{ ref('named_events') }}
    group by id_hash
    having count(*) > 1

),

numbered as (

    select {{ bounded_broadcast('repeated_hashes') }}
        events.*,
        {{ arrival() }} as arrival
    from {{ ref('named_events') }} as events
    left semi join repeated_hashes on events.id_hash = repeated_hashes.id_hash

)

select
    topic,
    partition,
    offset,
    row_index,
    batch,
    is_earlier
from numbered
where arrival > 1
