-- One row per mention: the source and the table that its messages mean, and what messages say of
-- that table. seeds/topics.csv gives the names that the messages lack. Stored, as all of resolving
-- reads it; nothing in it changes with each message, so that most runs leave it as it is.

-- Batches that were read anew, as a reroute rewrote them. All rows of such a batch come again, of
-- whatever topic. `topics` are those whose messages moved: their mentions may have no row left in
-- the batch.
with rewritten as (

    select
        collect_list(struct(
            cast(marked_unit as bigint) as batch, mark.about as topics, mark.replaced_at
        )) filter (where mark.replaced_at is not null) as batches
    from {{ ref('mentions') }}
    where marked_unit <> ''

),

brought as (

    select
        mentions.*,
        coalesce(topics.source, mentions.topic) as source,
        topics.database_name as topic_database,
        topics.table_name as topic_table,
        topics.key_columns as topic_key,
        coalesce(topics.time_zone, 'UTC') as time_zone,
        array_max(transform(
            filter(
                rewritten.batches,
                other -> other.batch = mentions.batch
                or array_contains(other.topics, mentions.topic)
            ),
            other -> other.replaced_at
        )) as moved_at
    from {{ ref('mentions') }} as mentions
    left join {{ ref('topics') }} as topics on mentions.topic = topics.topic
    cross join rewritten
    where mentions.marked_unit is null

),

-- Where lines are ordered (TDSQL's GTID sources), positions begin with the place at which the line
-- first landed, in whichever topic of its source.
started as (

    select
        *,
        min(line_start) over (partition by source, position_line) as start
    from brought

),

gathered as (

    select
        mention,
        topic,
        source,
        schema_name,
        time_zone,
        coalesce(nullif(database_name, ''), topic_database) as database_name,
        coalesce(nullif(table_name, ''), topic_table) as table_name,
        if(topic_key is null, array(), split(topic_key, '[|]')) as topic_key_columns,
        max(database_naming) as database_naming,
        map_from_entries(sort_array(
            collect_set(
                struct(
                    line,
                    concat_ws(
                        ' ',
                        {{ position_count('start.offset') }},
                        {{ position_count('start.partition') }}
                    ) as line_start
                )
            ) filter (where start is not null)
        )) as line_starts,
        sum(rows) > 0 as has_rows,
        sum(halves) > 0 as has_halves,
        sum(positional_rows) > 0 as has_positional_rows,
        max(struct(key_named_at, key_columns as columns)) filter (
            where key_columns is not null
        ) as last_key,
        max(last_database) as last_database,
        max(moved_at) as moved_at,
        min(built_at) as first_built_at
    from started
    group by
        mention,
        topic,
        source,
        database_name,
        schema_name,
        table_name,
        topic_database,
        topic_table,
        topic_key,
        time_zone

),

named as (

    select
        *,
        case database_naming
            -- A tenant's name has no dot.
            when 'tenant' then regexp_replace(database_name, '^[^.]*[.]', '')
            when 'optional' then null
            else database_name
        end as database_identity,
        to_json(array(source, database_identity, schema_name, table_name)) as name_id
    from gathered

)

select
    mention,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    database_identity,
    name_id,
    time_zone,
    topic_key_columns,
    line_starts,
    has_rows,
    has_halves,
    -- The key belongs to the table: one list for all mentions of a name.
    (max(last_key) over (partition by name_id)).columns as named_key,
    (max(last_database) over (partition by name_id)).name as newest_database,
    max(has_positional_rows) over (partition by name_id) as is_positional,
    moved_at,
    first_built_at
from named
