-- Law 1: every landed message is a change, a statement, a control event, a known repeat, or in
-- quarantine. Lists the batches and envelopes that lost messages, with one lost message.

with landed as (

    select
        topic,
        partition,
        offset,
        batch,
        envelope
    from {{ source('bronze', 'messages') }}
    where batch <= (select max(batch) from {{ source('bronze', 'batches') }})

),

split_changes as (

    select
        topic,
        message
    from {{ ref('change_log') }}
        lateral view explode(messages) as message
    where size(messages) > 1

),

-- The halves of a split update may have come in two batches.
halves as (

    select
        events.topic,
        events.partition,
        events.offset,
        events.batch
    from {{ ref('events') }} as events
    left semi join split_changes
        on
            events.topic = split_changes.topic
            and events.partition = split_changes.message.partition
            and events.offset = split_changes.message.offset
    where events.pair_id is not null

),

reached as (

    select
        topic,
        partition,
        offset,
        batch
    from halves
    {% for log in ['change_log', 'ddl_log', 'control_log', 'quarantine', 'repeats'] %}
    union all
    select
        topic,
        partition,
        offset,
        batch
    from {{ ref(log) }}
    {% endfor %}

),

lost as (

    select landed.*
    from landed
    left anti join reached
        on
            landed.topic = reached.topic
            and landed.partition = reached.partition
            and landed.offset = reached.offset
            and landed.batch = reached.batch

)

select
    batch,
    envelope,
    count(*) as lost_messages,
    min(struct(topic, partition, offset)) as first_lost
from lost
group by
    batch,
    envelope
