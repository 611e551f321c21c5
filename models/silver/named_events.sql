-- Events with the names that settings give to what the messages leave out, and their identities.

with events as (

    select * from {{ ref('events') }}

),

topics as (

    select * from {{ ref('topics') }}

),

named as (

    select
        events.* except (database_name, table_name),
        coalesce(topics.source, events.topic) as source,
        coalesce(nullif(events.database_name, ''), topics.database_name) as database_name,
        coalesce(nullif(events.table_name, ''), topics.table_name) as table_name,
        split(topics.key_columns, '[|]') as topic_key_columns,
        coalesce(topics.time_zone, 'UTC') as time_zone
    from events
    left join topics on events.topic = topics.topic

),

identified as (

    select
        *,
        case database_naming
            when 'tenant' then substring_index(database_name, '.', -1)
            when 'plain' then database_name
        end as database_identity
    from named

)

select
    {{ event_columns() | indent(4) }},
    source,
    topic_key_columns,
    time_zone,
    content_hash,
    id_hash,
    built_at,
    database_identity,
    to_json(array(source, database_identity, schema_name, table_name)) as name_id,
    -- Positions compare within a line, times across lines.
    concat_ws(' ', envelope, position_line) as line,
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
from identified
