-- OceanBase OMS, serialization Dataworks: "Only DataWorks 2.0 is supported."

with messages as (

    select * from {{ source('bronze', 'oms_dataworks') }}

),

located as (

    select
        *,
        nullif(message.payload.ddl.text, '') as statement,
        -- The samples write the text "null".
        {{ vendor_id('message.payload.scn') }} as scn
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_dataworks' as envelope,
    {{ operation_code(query_operation('message.payload.op', 'statement')) | indent(4) }}
        as operation_code,
    message.schema.source.dbName as database_name,
    message.schema.source.schema as schema_name,
    message.schema.source.table as table_name,
    message.schema.pk as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    {{ sent_image('message.payload.before.data') }} as before,
    {{ sent_image('message.payload.after.data') }} as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    {{ declared_types('message.schema.column') }} as column_types,
    'oms' as value_encoding,
    message.payload.timestamp.eventTime as event_time,
    'ms' as event_time_unit,
    coalesce(message.payload.op = 'INSERT', false)
    and {{ has_no_time('message.payload.timestamp.eventTime') }} as is_backfill,
    {{ oms_position(
        'array(' ~ whole_number('scn') ~ ', '
        ~ whole_number('message.payload.timestamp.eventTime') ~ ')',
        whole_number('message.payload.timestamp.systemTime')
    ) | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    true as is_placed,
    scn as unique_id,
    scn as transaction_id,
    statement,
    cast(null as string) as statement_meta,
    message.schema.source.dbType as database_type,
    cast(null as string) as table_changes,
    'time' as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() | indent(4) }} as rejection
from located
