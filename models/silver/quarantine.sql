-- Messages that could not be read as what they claim to be, whole, with the reason. They are judged
-- anew when a setting of their topic changes: one that it explains leaves by itself.

with rejected as (

    select distinct
        topic,
        message.partition,
        message.offset,
        batch,
        envelope,
        reason
    from {{ ref('resolved_events') }}
        lateral view explode(messages) as message
    where class = 'rejected'

),

messages as (

    select * from {{ source('bronze', 'messages') }}

)

select
    rejected.topic,
    rejected.partition,
    rejected.offset,
    rejected.batch,
    rejected.envelope,
    rejected.reason,
    coalesce(messages.raw, messages.message) as message
from rejected
left join messages
    on
        rejected.envelope = messages.envelope
        and rejected.batch = messages.batch
        and rejected.topic = messages.topic
        and rejected.partition = messages.partition
        and rejected.offset = messages.offset
