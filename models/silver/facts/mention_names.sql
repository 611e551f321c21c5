-- One row per mention: the source and the table that its messages mean. seeds/topics.csv gives the
-- names that the messages lack. Stored, as all of resolving reads it.

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
        array_max(transform(
            filter(
                rewritten.batches,
                other -> other.batch = mentions.batch
                or array_contains(other.topics, mentions.topic)
            ),
            other -> other.replaced_at
        )) as moved_at
    from {{ ref('mentions') }} as mentions
    cross join rewritten
    where mentions.marked_unit is null

),

gathered as (

    select
        mention,
        topic,
        database_name,
        schema_name,
        table_name,
        max(database_naming) as database_naming,
        sum(rows) as rows,
        sum(halves) as halves,
        sum(positional_rows) as positional_rows,
        max(struct(key_named_at, key_columns as columns)) filter (
            where key_columns is not null
        ) as last_key,
        max(last_database) as last_database,
        max(moved_at) as moved_at,
        min(built_at) as first_built_at,
        max(built_at) as last_built_at
    from brought
    group by
        mention,
        topic,
        database_name,
        schema_name,
        table_name

),

named as (

    select
        gathered.* except (database_name, table_name),
        coalesce(topics.source, gathered.topic) as source,
        coalesce(nullif(gathered.database_name, ''), topics.database_name) as database_name,
        coalesce(nullif(gathered.table_name, ''), topics.table_name) as table_name,
        if(
            topics.key_columns is null, array(), split(topics.key_columns, '[|]')
        ) as topic_key_columns,
        coalesce(topics.time_zone, 'UTC') as time_zone
    from gathered
    left join {{ ref('topics') }} as topics on gathered.topic = topics.topic

)

select
    mention,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    case database_naming
        -- A tenant's name has no dot.
        when 'tenant' then regexp_replace(database_name, '^[^.]*[.]', '')
        when 'optional' then null
        else database_name
    end as database_identity,
    to_json(array(source, database_identity, schema_name, table_name)) as name_id,
    time_zone,
    topic_key_columns,
    rows,
    halves,
    positional_rows,
    last_key,
    last_database,
    moved_at,
    first_built_at,
    last_built_at
from named
