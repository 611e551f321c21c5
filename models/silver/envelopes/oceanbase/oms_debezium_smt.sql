-- OMS DebeziumSmt, and Debezium's unwrapped rows of the wider family: the columns of one row, flat,
-- "displaying only key:value fields in the after".

with messages as (

    select * from {{ source('bronze', 'oms_debezium_smt') }}

),

told_apart as (

    select
        *,
        -- The columns and Debezium's own fields, also out of Kafka Connect's {schema, payload}.
        {{ last_of_repeated_names('coalesce(row, message)') }} as fields,
        -- A record without a value deletes the row of its key.
        if(message is null and raw is null, {{ kafka_key() }}, null) as deleted_key
    from messages

),

located as (

    select
        *,
        -- "true" and "false" are all that the transform writes.
        map_contains_key(fields, '__deleted')
        and not coalesce(fields['__deleted'] in ('true', 'false'), false) as is_deleted_unknown,
        coalesce(fields['__deleted'] = 'true' or fields['__op'] = 'd', deleted_key is not null)
            as is_delete,
        -- The fields that the transform adds (options delete.handling.mode and add.fields) are no
        -- columns of the row. A table may have columns of its own that begin with `__`.
        map_filter(
            fields,
            (name, value) -> not (
                name in (
                    '__deleted',
                    '__op',
                    '__ts_ms',
                    '__ts_us',
                    '__ts_ns',
                    '__connector',
                    '__name',
                    '__version',
                    '__snapshot',
                    '__db',
                    '__schema',
                    '__table',
                    '__collection',
                    '__file',
                    '__pos',
                    '__row',
                    '__gtid',
                    '__lsn',
                    '__commit_lsn',
                    '__change_lsn',
                    '__event_serial_no',
                    '__scn',
                    '__commit_scn',
                    '__rs_id',
                    '__ssn',
                    '__sequence',
                    '__ord',
                    '__server_id',
                    '__thread',
                    '__query',
                    '__xmin',
                    '__txId'
                )
                or startswith(name, '__source_')
                or startswith(name, '__transaction_')
            )
        ) as columns,
        {{ debezium_sent_columns('columns') | indent(8) }} as sent_columns
    from told_apart

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_debezium_smt' as envelope,
    case
        when is_deleted_unknown
            then concat('__deleted: ', coalesce(fields['__deleted'], 'null'))
        when is_delete then 'delete'
        else {{ operation_code("'upsert'") }}
    end as operation_code,
    coalesce(fields['__db'], fields['__source_db']) as database_name,
    coalesce(fields['__schema'], fields['__source_schema']) as schema_name,
    coalesce(
        fields['__table'],
        fields['__collection'],
        fields['__source_table'],
        fields['__source_collection']
    ) as table_name,
    map_keys(deleted_key) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    if(is_delete, coalesce(sent_columns, deleted_key), null) as before,
    if(is_delete, null, sent_columns) as after,
    not is_delete and coalesce(size(sent_columns) < size(columns), false) as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    if(fields['__op'] is null, 'oms_debezium', 'kafka_connect') as value_encoding,
    -- OMS sends no time; epoch numbers count as milliseconds.
    coalesce(nullif(fields['__source_ts_ms'], '0'), cast(received_at as string)) as event_time,
    'iso' as event_time_unit,
    false as is_backfill,
    array(cast(offset as string), cast(partition as string)) as position_parts,
    concat_ws(' ', topic, partition) as position_line,
    true as is_placed,
    cast(null as string) as unique_id,
    cast(null as string) as transaction_id,
    cast(null as string) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() | indent(4) }} as rejection
from located
