-- OceanBase OMS, serialization Default: full images, the key's names and values beside them.

with messages as (

    select * from {{ source('bronze', 'oms_default') }}

),

located as (

    select
        *,
        {{ sent_image('message.prevStruct') }} as before,
        {{ sent_image('message.postStruct') }} as after,
        -- The full synchronization may write 0.
        nullif({{ vendor_id('message.allMetaData.storeDataSequence') }}, '0') as sequence,
        coalesce(message.recordType = 'DDL', false) as is_statement
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_default' as envelope,
    {{ operation_code('message.recordType') }} as operation_code,
    -- For OceanBase {tenant}.{database}, as sent.
    message.allMetaData.db as database_name,
    cast(null as string) as schema_name,
    message.allMetaData.table_name,
    {{ joined_list('message.allMetaData.record_primary_key') }} as key_columns,
    {{ joined_list('message.allMetaData.record_primary_value') }} as key_values,
    cast(null as string) as row_id,
    before,
    if(is_statement, null, after) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'oms' as value_encoding,
    message.allMetaData.timestamp as event_time,
    's' as event_time_unit,
    {{ oms_default_is_backfill() | indent(4) }} as is_backfill,
    {{ oms_position(
        sequence_parts('sequence', 'try_cast(message.allMetaData.timestamp as bigint)')
    ) | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    true as is_placed,
    sequence as unique_id,
    coalesce(
        {{ vendor_id('message.allMetaData.transId') }},
        {{ vendor_id('message.allMetaData.uniqueId') }}
    ) as transaction_id,
    -- "In DDL records, the key is "ddl" … and the values are DDL statements."
    if(is_statement, after['ddl'], null) as statement,
    cast(null as string) as statement_meta,
    message.allMetaData.dbType as database_type,
    cast(null as string) as table_changes,
    'second' as statement_anchor,
    {{ tenant_naming('message.allMetaData.dbType') }} as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() | indent(4) }} as rejection
from located
