{{ config(store_failures_as='view') }}
-- Law 2: a value of a row image that is a number is, digit for digit, a number of its message, or
-- of the message's key. A number of a message is a whole run of letters, digits, points and signs
-- in its text, so that neither 1.1 nor 10 is found in 1.10 or 100. Not looked at: messages that
-- write digits or signs as \u0030, and split updates with a half in an older batch. Looks at the
-- newest batches (`tested_batches`).

{%- set is_tested = 'batch >= ' ~ first_tested_batch() %}

with numbers as (

    select
        source,
        -- The halves of a split update may have come in two topics of one source.
        if(size(messages) > 1, null, topic) as sole_topic,
        messages,
        value,
        min(change_id) as change_id
    from {{ ref('change_log') }}
        lateral view explode(
            concat(coalesce(map_values(before), array()), coalesce(map_values(after), array()))
        ) as value
    where
        {{ is_tested }}
        and value rlike '^[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?\\z'
    group by
        source,
        sole_topic,
        messages,
        value

),

placed as (

    select
        numbers.*,
        message.partition,
        message.offset
    from numbers
        lateral view explode(messages) as message

),

landed as (

    select
        coalesce(topics.source, messages.topic) as source,
        messages.topic,
        messages.partition,
        messages.offset,
        concat_ws(' ', messages.message, messages.message_key) as text
    from {{ source('bronze', 'messages') }} as messages
    left join {{ ref('topics') }} as topics on messages.topic = topics.topic
    where
        {{ is_tested }}
        and not coalesce(messages.message rlike '\\\\u00[23]', false)

),

sent_numbers as (

    select distinct
        source,
        topic,
        partition,
        offset,
        token
    from landed
        lateral view explode(regexp_extract_all(text, '[-+.\\w]+', 0)) as token
    where token rlike '^[-+]?[0-9]'

),

compared as (

    select
        placed.*,
        sent_numbers.token is not null as is_sent
    from placed
    left semi join landed
        on
            placed.source = landed.source
            and coalesce(placed.sole_topic = landed.topic, true)
            and placed.partition = landed.partition
            and placed.offset = landed.offset
    left join sent_numbers
        on
            placed.source = sent_numbers.source
            and coalesce(placed.sole_topic = sent_numbers.topic, true)
            and placed.partition = sent_numbers.partition
            and placed.offset = sent_numbers.offset
            and placed.value = sent_numbers.token

)

select
    change_id,
    value
from compared
group by
    change_id,
    source,
    sole_topic,
    messages,
    value
having
    count(*) = size(messages)
    and not bool_or(is_sent)
