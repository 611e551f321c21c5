-- DataHub BLOB topics: the tables of one database, their statements and heartbeats in one topic.

with messages as (

    select * from {{ source('bronze', 'datahub_blob') }}

),

located as (

    select
        *,
        {{ sent_image('message.payload.before.dataColumn') }} as before,
        {{ sent_image('message.payload.after.dataColumn') }} as after,
        {{ vendor_id('message.payload.sequenceId') }} as sequence_id,
        nullif(message.payload.ddl.text, '') as statement,
        nullif(message.payload.ddl.ddlMeta, '') as statement_meta,
        -- Backfilled rows carry -1 for their sequence and times.
        coalesce(message.payload.op = 'INSERT' and message.payload.sequenceId = '-1', false)
            as is_backfill,
        -- The document spells it UPDATE_BEFOR.
        coalesce(
            message.payload.op in ('UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER'), false
        ) as is_half
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'datahub_blob' as envelope,
    {{ operation_code(
        query_operation('message.payload.op', 'coalesce(statement, statement_meta)')
    ) | indent(4) }} as operation_code,
    message.schema.source.dbName as database_name,
    message.schema.source.schemaName as schema_name,
    message.schema.source.tableName as table_name,
    message.schema.primaryKey as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    before,
    after,
    -- Some updates bring the changed columns only; between two halves the pairing tells.
    coalesce(size(array_except(map_keys(before), map_keys(after))) > 0, false) as is_partial,
    case
        -- Real UPDATE_AFTER messages also bring both images: whole updates.
        when not is_half or (before is not null and after is not null) then 'both'
        when message.payload.op = 'UPDATE_AFTER' then 'after'
        else 'before'
    end as image,
    if(is_half and (before is null or after is null), sequence_id, null) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    {{ declared_types('message.schema.dataColumn') }} as column_types,
    'datahub' as value_encoding,
    message.payload.timestamp.eventTime as event_time,
    'ms' as event_time_unit,
    is_backfill,
    {{ datahub_position(
        'message.payload.timestamp.eventTime', 'message.payload.timestamp.systemTime'
    ) | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    is_backfill or {{ whole_number('sequence_id') }} is not null as is_placed,
    sequence_id as unique_id,
    cast(null as string) as transaction_id,
    statement,
    statement_meta,
    message.schema.source.dbType as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() | indent(4) }} as rejection
from located
