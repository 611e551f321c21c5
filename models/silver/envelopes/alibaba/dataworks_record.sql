-- DataWorks Data Integration to DataHub or Kafka: the row's columns and five more. "Data
-- Integration splits the operation into two records: one for the data before the update and one for
-- the data after the update." The record names neither its table nor its key.

with messages as (

    select
        * except (message),
        {{ last_of_repeated_names('message') }} as message
    from {{ source('bronze', 'dataworks_record') }}

),

records as (

    select
        *,
        {{ sent_image(record_row()) | indent(8) }} as record_row,
        {{ vendor_id("message['_sequence_id_']") }} as sequence_id,
        message['_execute_time_'] as event_time,
        false as is_backfill
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'dataworks_record' as envelope,
    {{ operation_code("message['_operation_type_']") }} as operation_code,
    cast(null as string) as database_name,
    cast(null as string) as schema_name,
    cast(null as string) as table_name,
    cast(null as array<string>) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    if(message['_before_image_'] = 'Y', record_row, null) as before,
    if(message['_after_image_'] = 'Y', record_row, null) as after,
    false as is_partial,
    {{ record_image() | indent(4) }} as image,
    if(message['_operation_type_'] = 'U', sequence_id, null) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'datahub' as value_encoding,
    event_time,
    'ms' as event_time_unit,
    is_backfill,
    {{ datahub_position('event_time') | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    {{ whole_number('sequence_id') }} is not null as is_placed,
    -- Both halves of an update carry it; their images tell them apart.
    sequence_id as unique_id,
    cast(null as string) as transaction_id,
    cast(null as string) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    coalesce(
        {{ message_rejection() | indent(8) }},
        {{ record_rejection() | indent(8) }}
    ) as rejection
from records
