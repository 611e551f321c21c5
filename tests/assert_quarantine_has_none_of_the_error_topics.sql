-- Messages in quarantine of the topics that the variable quarantine_errors lists, by topic and
-- reason: these must never wait there.

select
    topic,
    reason,
    count(*) as messages,
    min(struct(partition, offset)) as first_message
from {{ ref('quarantine') }}
where array_contains({{ text_array(var('quarantine_errors')) }}, topic)
group by
    topic,
    reason
