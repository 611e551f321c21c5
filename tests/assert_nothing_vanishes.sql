{{ config(store_failures_as='view') }}
-- Law 1: every landed message, and every row in it, is a change, a statement, a control event, a
-- known repeat, or in quarantine. Lists the batches and envelopes that lost rows, with one lost
-- row. Rows are counted twice: as the raw messages hold them, and as resolve.events does, which
-- still has the messages that expired. Batches are told by the one in which their messages lie now.
-- Looks at the newest batches (`tested_batches`).

{%- set is_tested = 'batch >= ' ~ first_tested_batch() %}
{%- set place = 'topic, partition, offset, batch' %}
{#- The change of two halves may lie in an older batch: with halves, the whole log is read. #}
{%- set has_halves = true %}
{%- if execute and flags.WHICH in ('test', 'build') %}
    {%- set has_halves = run_query(
        'select 1 from ' ~ ref('events') ~ ' where marked_unit is null and pair_id is not null and '
        ~ is_tested ~ ' limit 1'
    ).rows | length > 0 %}
{%- endif %}

with landed as (

    select
        {{ place }},
        envelope
    from {{ source('bronze', 'messages') }}
    where
        batch <= (select max(batch) from {{ source('bronze', 'batches') }})
        and {{ is_tested }}

),

-- Canal is the one envelope that puts several rows into a message.
listed as (

    select
        {{ place }},
        posexplode(coalesce(message.data, message.old)) as (row_index, image)
    from {{ source('bronze', 'oms_canal') }}
    where {{ is_tested }}

),

batches as (

    select
        batch,
        coalesce(joined_into, batch) as lies_in
    from {{ source('bronze', 'batches') }}

),

events as (

    select
        events.* except (batch),
        batches.lies_in as batch
    from {{ ref('events') }} as events
    inner join batches on events.batch = batches.batch
    where
        events.marked_unit is null
        and events.{{ is_tested }}

),

sent as (

    select
        {{ place }},
        0 as row_index,
        envelope
    from landed
    union all
    select
        {{ place }},
        row_index,
        'oms_canal' as envelope
    from listed
    where row_index > 0
    union all
    select
        {{ place }},
        row_index,
        envelope
    from events

),

split_changes as (

    select
        source,
        message
    from {{ ref('change_log') }}
        lateral view explode(messages) as message
    where {{ 'size(messages) > 1' if has_halves else 'false' }}

),

-- The halves of a split update may have come in two batches, and in two topics of one source.
halves as (

    select
        events.topic,
        events.partition,
        events.offset,
        events.batch,
        events.row_index
    from events
    left join {{ ref('topics') }} as topics on events.topic = topics.topic
    left semi join split_changes
        on
            coalesce(topics.source, events.topic) = split_changes.source
            and events.partition = split_changes.message.partition
            and events.offset = split_changes.message.offset
    where events.pair_id is not null

),

logged_rows as (

    {% for log in ['change_log', 'repeats'] %}
    select
        {{ place }},
        row_index
    from {{ ref(log) }}
    where {{ is_tested }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

known_rows as (

    select * from halves
    union all
    select
        logged_rows.topic,
        logged_rows.partition,
        logged_rows.offset,
        batches.lies_in as batch,
        logged_rows.row_index
    from logged_rows
    inner join batches on logged_rows.batch = batches.batch

),

-- These logs take messages whole.
logged_messages as (

    {% for log in ['ddl_log', 'control_log', 'quarantine'] %}
    select
        {{ place }}
    from {{ ref(log) }}
    where {{ is_tested }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

known_messages as (

    select
        logged_messages.* except (batch),
        batches.lies_in as batch
    from logged_messages
    inner join batches on logged_messages.batch = batches.batch

),

lost as (

    select sent.*
    from sent
    left anti join known_rows
        on
            sent.topic = known_rows.topic
            and sent.partition = known_rows.partition
            and sent.offset = known_rows.offset
            and sent.row_index = known_rows.row_index
            and sent.batch = known_rows.batch
    left anti join known_messages
        on
            sent.topic = known_messages.topic
            and sent.partition = known_messages.partition
            and sent.offset = known_messages.offset
            and sent.batch = known_messages.batch

)

select
    batch,
    envelope,
    count(distinct topic, partition, offset, row_index) as lost_rows,
    min(struct(topic, partition, offset, row_index)) as first_lost
from lost
group by
    batch,
    envelope
