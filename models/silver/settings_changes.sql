{{ config(materialized='incremental', incremental_strategy='merge', unique_key='topic') }}
-- depends_on: {{ ref('events') }}
-- When the settings of a topic last changed after its first message was resolved, or its messages
-- moved to another envelope. What had been built before counts as built anew from then on.

with topics as (

    select distinct fed.topic
    from {{ source('bronze', 'batches') }}
        lateral view explode(offsets) as fed

),

operation_codes as (

    select md5(to_json(sort_array(collect_list(struct(*))))) as fingerprint
    from {{ ref('operation_codes') }}

),

topic_settings as (

    select
        topic,
        source,
        struct(*) as settings
    from {{ ref('topics') }}

),

table_settings as (

    select
        source,
        sort_array(collect_list(struct(*))) as settings
    from {{ ref('table_columns') }}
    group by source

),

-- Moved messages count once silver.events has read them again.
reroutes as (

    select
        topic,
        max(rewrite) as last_reroute
    from {{ source('bronze', 'rewrites') }}
    where read_at is not null
    group by topic

),

fingerprints as (

    select
        topics.topic,
        md5(concat_ws(
            ' ',
            operation_codes.fingerprint,
            to_json(topic_settings.settings),
            to_json(table_settings.settings),
            reroutes.last_reroute
        )) as fingerprint
    from topics
    cross join operation_codes
    left join topic_settings on topics.topic = topic_settings.topic
    left join table_settings
        on coalesce(topic_settings.source, topics.topic) = table_settings.source
    left join reroutes on topics.topic = reroutes.topic

)

select
    fingerprints.topic,
    fingerprints.fingerprint,
    {% if is_incremental() %}
    case when known.topic is not null then current_timestamp() end as changed_at
    {% else %}
    cast(null as timestamp) as changed_at
    {% endif %}
from fingerprints
{% if is_incremental() %}
left join {{ this }} as known on fingerprints.topic = known.topic
where
    known.topic is null
    or known.fingerprint <> fingerprints.fingerprint
{% endif %}
