-- AWS DMS to Kafka and Kinesis, format JSON: a message a row, or a control record about a table.

with messages as (

    select * from {{ source('bronze', 'aws_dms') }}

),

located as (

    select
        *,
        message.metadata.operation,
        message.metadata.`record-type` as record_type,
        nullif(message.metadata.`schema-name`, '') as schema_name,
        nullif(message.metadata.`table-name`, '') as table_name,
        message.control.`table-def` as definition,
        {{ sent_image('message.data') }} as data
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'aws_dms' as envelope,
    -- "The record type can be either data or control."
    {{ operation_code("concat(record_type, ' ', operation)") }} as operation_code,
    cast(null as string) as database_name,
    schema_name,
    table_name,
    cast(null as array<string>) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    case
        when record_type = 'data' and operation = 'delete' then data
        -- Of an update, as much of the row as the source and the task's settings give.
        when record_type = 'data' and operation = 'update'
            then {{ sent_image('message.`before-image`') }}
    end as before,
    if(record_type = 'data' and operation <> 'delete', data, null) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'datastream' as value_encoding,
    -- The other one is "when the JSON message was constructed".
    coalesce(message.metadata.`commit-timestamp`, message.metadata.timestamp) as event_time,
    'iso' as event_time_unit,
    false as is_backfill,
    -- The log's positions look otherwise for each kind of source. A task spreads a table's load,
    -- its changes and its control records over partitions by different keys: its own clock orders.
    array(
        {{ epoch_micros('message.metadata.timestamp') }},
        cast(offset as string),
        cast(partition as string)
    ) as position_parts,
    cast(null as string) as position_line,
    message.metadata.timestamp is not null as is_placed,
    cast(null as string) as unique_id,
    {{ vendor_id('message.metadata.`transaction-id`') }} as transaction_id,
    cast(null as string) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    -- The table's definition in the words of Debezium's.
    if(
        record_type = 'control' and operation = 'create-table' and size(definition.columns) > 0,
        to_json(
            array(
                named_struct(
                    'type', 'CREATE',
                    'id', concat(
                        '"".',
                        '"', replace(coalesce(schema_name, ''), '"', '""'), '".',
                        '"', replace(coalesce(table_name, ''), '"', '""'), '"'
                    ),
                    'table', named_struct(
                        'primaryKeyColumnNames', definition.`primary-key`,
                        'columns', transform(
                            map_entries(definition.columns),
                            one -> named_struct(
                                'name', one.key,
                                'typeName', one.value.type,
                                'length', coalesce(one.value.length, one.value.precision),
                                'scale', one.value.scale,
                                'optional', try_cast(one.value.nullable as boolean)
                            )
                        )
                    )
                )
            )
        ),
        null
    ) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    coalesce(
        {{ message_rejection() | indent(8) }},
        if(record_type = 'data' and data is null, 'no row in data', null)
    ) as rejection
from located
