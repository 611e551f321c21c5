-- Law 2: each number of a row image is in its message, or in that message's key, digit for digit.
-- Checked for the newest batch; older ones were checked when they came.

with newest_changes as (

    select
        change_id,
        topic,
        messages,
        before,
        after
    from {{ ref('change_log') }}
    where batch = (select max(batch) from {{ source('bronze', 'batches') }})

),

numbers as (

    select distinct
        newest_changes.change_id,
        newest_changes.topic,
        newest_changes.messages,
        value
    from newest_changes
        lateral view explode(
            concat(coalesce(map_values(before), array()), coalesce(map_values(after), array()))
        ) as value
    where value rlike '^[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$'

),

located as (

    select
        numbers.change_id,
        numbers.topic,
        numbers.value,
        message.partition,
        message.offset
    from numbers
        lateral view explode(messages) as message

)

select
    located.change_id,
    located.value
from located
inner join {{ source('bronze', 'messages') }} as landed
    on
        located.topic = landed.topic
        and located.partition = landed.partition
        and located.offset = landed.offset
group by
    located.change_id,
    located.value
having not bool_or(contains(concat_ws(' ', landed.message, landed.message_key), located.value))
