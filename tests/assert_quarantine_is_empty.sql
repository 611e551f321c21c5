{{ config(severity='warn') }}
-- Messages that wait in quarantine, by topic and reason; not those of topics that the variable
-- quarantine_ignored lists.

select
    topic,
    reason,
    count(*) as messages,
    min(struct(partition, offset)) as first_message
from {{ ref('quarantine') }}
where not array_contains({{ text_array(var('quarantine_ignored')) }}, topic)
group by
    topic,
    reason
