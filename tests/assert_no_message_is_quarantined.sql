{{ config(severity='warn') }}
-- Messages that wait in quarantine, by topic and reason.

select
    topic,
    reason,
    count(*) as messages,
    min(struct(partition, offset)) as first_message
from {{ ref('quarantine') }}
group by
    topic,
    reason
