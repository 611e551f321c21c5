-- Events with the names that settings give: the source, and what the messages leave out.
-- The first branch is the ordinary one, through which a filter on built_at reaches the files.

with events as (

    select * from {{ ref('events') }}

),

changed_settings as (

    select
        topic,
        changed_at
    from {{ ref('settings_changes') }}
    where changed_at is not null

),

topics as (

    select * from {{ ref('topics') }}

),

dated as (

    select
        events.*,
        events.built_at as dated_at
    from events
    left anti join changed_settings on events.topic = changed_settings.topic
    union all
    select
        events.*,
        greatest(events.built_at, changed_settings.changed_at) as dated_at
    from events
    inner join changed_settings on events.topic = changed_settings.topic

),

named as (

    select
        dated.* except (database_name, table_name, built_at, dated_at),
        coalesce(topics.source, dated.topic) as source,
        coalesce(nullif(dated.database_name, ''), topics.database_name) as database_name,
        coalesce(nullif(dated.table_name, ''), topics.table_name) as table_name,
        split(topics.key_columns, '[|]') as topic_key_columns,
        coalesce(topics.time_zone, 'UTC') as time_zone,
        dated.dated_at as built_at
    from dated
    left join topics on dated.topic = topics.topic

)

select
    {{ event_columns() | indent(4) }},
    source,
    topic_key_columns,
    time_zone,
    content_hash,
    id_hash,
    built_at,
    -- The same for a message and its repeats; different for all else.
    md5(concat_ws(
        chr(1),
        if(
            unique_id is null,
            array(topic, partition, offset, row_index),
            array(
                source,
                coalesce(database_name, ''),
                coalesce(schema_name, ''),
                coalesce(table_name, ''),
                unique_id,
                content_hash
            )
        )
    )) as event_id,
    -- The same for both halves of a split update, whichever comes first.
    md5(concat_ws(
        chr(1),
        source,
        coalesce(database_name, ''),
        coalesce(schema_name, ''),
        coalesce(table_name, ''),
        pair_id
    )) as split_update_id
from named
