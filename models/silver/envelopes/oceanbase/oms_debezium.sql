-- OMS Debezium, and Debezium of the wider family, in `payload`: "by default, only the structure of
-- payload is displayed".

with messages as (

    select
        *,
        message is null and raw is null as is_tombstone,
        message.payload.*,
        get(
            filter(message.schema.fields, part -> part.field in ('before', 'after')), 0
        ).fields as typed_columns
    from {{ source('bronze', 'oms_debezium') }}

),

told_apart as (

    select
        *,
        {{ debezium_encoding() | indent(8) }} as value_encoding,
        {{ debezium_is_read() | indent(8) }} as is_read,
        {{ debezium_is_document() | indent(8) }} as is_document,
        {{ debezium_coordinates() | indent(8) }} as coordinates
    from messages

),

images as (

    select
        *,
        {{ debezium_is_backfill() | indent(8) }} as is_backfill,
        {{ debezium_image('before', '$.message.payload.before') | indent(8) }} as sent_before,
        {{ debezium_image('after', '$.message.payload.after') | indent(8) }} as sent_after,
        {{ debezium_deleted_key() | indent(8) }} as deleted_key
    from told_apart

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_debezium' as envelope,
    {{ debezium_operation() | indent(4) }} as operation_code,
    coalesce(nullif(source.db, ''), databaseName) as database_name,
    coalesce(source.schema, schemaName) as schema_name,
    coalesce(source.table, source.collection) as table_name,
    coalesce(map_keys(deleted_key), if(is_document, array('_id'), null)) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    coalesce(sent_before, deleted_key) as before,
    if(op = 'd', null, sent_after) as after,
    sent_after is not null and size(sent_after) < size(after) as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    -- The logical type, such as io.debezium.time.Date, says more than int32.
    map_from_entries(
        transform(
            filter(typed_columns, typed -> typed.field is not null),
            typed -> struct(typed.field, coalesce(typed.name, typed.type))
        )
    ) as column_types,
    value_encoding,
    -- Seconds by OMS's document, milliseconds in its samples; some connectors write more digits.
    coalesce(source.ts_ms, if(status is not null, ts_ms, null)) as event_time,
    'magnitude' as event_time_unit,
    is_backfill,
    {{ debezium_position() | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    -- The rows of a snapshot share its place.
    if(is_read, null, array_join(coordinates, ' ', '-')) as unique_id,
    coalesce({{ vendor_id('source.gtid') }}, source.txId, transaction.id, id) as transaction_id,
    ddl as statement,
    cast(null as string) as statement_meta,
    source.connector as database_type,
    {{ debezium_rejection() | indent(4) }} as rejection
from images
