-- Every event that is not a repeat, with all that is common to the envelopes: what kind of row it
-- is, its table's key, its time in UTC. The four logs are cut from this view.

with named_events as (

    select * from {{ ref('named_events') }}

),

operation_codes as (

    select * from {{ ref('operation_codes') }}

),

table_settings as (

    select * from {{ ref('table_settings') }}

),

resolved_batches as (

    select max(batch) as batch from {{ source('bronze', 'resolved_batches') }}

),

whole_messages as (

    select
        {{ event_columns() | indent(8) }},
        source,
        topic_key_columns,
        time_zone,
        content_hash,
        event_id as change_id,
        array(struct(partition, offset)) as messages,
        built_at
    from named_events
    where
        (pair_id is null or rejection is not null)
        and batch <= (select resolved_batches.batch from resolved_batches)

),

first_arrivals as (

    select *
    from whole_messages
    left anti join {{ ref('repeats') }} as repeats
        on
            whole_messages.batch = repeats.batch
            and whole_messages.topic = repeats.topic
            and whole_messages.partition = repeats.partition
            and whole_messages.offset = repeats.offset
            and whole_messages.row_index = repeats.row_index

),

events as (

    select
        {{ event_columns() | indent(8) }},
        source,
        topic_key_columns,
        time_zone,
        content_hash,
        change_id,
        messages,
        built_at
    from first_arrivals
    union all
    select
        {{ event_columns() | indent(8) }},
        source,
        topic_key_columns,
        time_zone,
        content_hash,
        change_id,
        messages,
        built_at
    from {{ ref('split_updates') }}

),

-- TDSQL: GTIDs of one source are ordered by their number, the sources by where they began.
line_starts as (

    select
        source,
        position_line,
        min(struct(offset, partition)) as line_start
    from named_events
    where envelope = 'tdsql'
    group by
        source,
        position_line

),

joined as (

    select
        events.*,
        operation_codes.operation as named_operation,
        operation_codes.class as named_class,
        line_starts.line_start,
        table_settings.column_names,
        case
            when size(events.key_columns) > 0 then events.key_columns
            when size(table_settings.key_columns) > 0 then table_settings.key_columns
            else events.topic_key_columns
        end as table_key_columns
    from events
    left join operation_codes
        on
            events.envelope = operation_codes.envelope
            and events.operation_code = operation_codes.operation_code
    left join table_settings
        on
            events.source = table_settings.source
            and events.database_name <=> table_settings.database_name
            and events.table_name = table_settings.table_name
    left join line_starts
        on
            events.source = line_starts.source
            and events.position_line = line_starts.position_line

),

decoded as (

    select
        * except (before, after),
        {{ decode_positional('before', 'before_values') }} as before,
        {{ decode_positional('after', 'after_values') }} as after
    from joined

),

judged as (

    select
        *,
        case
            when rejection is not null then rejection
            when named_class is null
                then concat('unknown operation ', coalesce(operation_code, 'NULL'))
            when named_class <> 'change' then null
            when table_name is null
                then 'no table name: name it in seeds/topics.csv for this topic'
            when
                coalesce(before_values, after_values) is not null
                and column_names is null
                then concat('no column list for ', concat_ws('.', database_name, table_name))
            when array_size(before_values) <> array_size(column_names)
                then {{ wrong_number_of_values('before_values') }}
            when array_size(after_values) <> array_size(column_names)
                then {{ wrong_number_of_values('after_values') }}
            when named_operation = 'delete' and before is null then 'delete without an image'
            when named_operation <> 'delete' and after is null and image <> 'before'
                then concat(named_operation, ' without an image')
        end as reason,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at
    from decoded

)

select
    {{ event_columns() | indent(4) }},
    source,
    content_hash,
    change_id,
    messages,
    built_at,
    table_key_columns,
    line_start,
    event_at,
    reason,
    if(reason is null, named_class, 'rejected') as class,
    if(is_backfill and named_class = 'change', 'read', named_operation) as operation
from judged
