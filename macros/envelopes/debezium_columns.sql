{#- The contract's columns that a Debezium message fills, wrapped or not. -#}
{% macro debezium_columns() -%}
    {{ debezium_operation() }} as operation_code,
    coalesce(nullif(source.db, ''), databaseName) as database_name,
    coalesce(source.schema, schemaName) as schema_name,
    coalesce(source.table, source.collection) as table_name,
    coalesce(map_keys(deleted_key), if(is_document, array('_id'), null)) as key_columns,
    coalesce(sent_before, deleted_key) as before,
    if(op = 'd', null, sent_after) as after,
    sent_after is not null and size(sent_after) < size(after) as is_partial,
    -- Seconds by OMS's document, milliseconds in its samples; some connectors write more digits.
    coalesce(source.ts_ms, if(status is not null, ts_ms, null)) as event_time,
    {{ debezium_position() }} as position_parts,
    -- OMS never names coordinates: time orders all its rows.
    is_backfill or coordinates is not null or value_encoding = 'oms_debezium' as is_placed,
    {{ debezium_unique_id() }} as unique_id,
    coalesce({{ vendor_id('source.gtid') }}, source.txId, transaction.id, id) as transaction_id,
    ddl as statement,
    source.connector as database_type,
    if(op is null, tableChanges, null) as table_changes,
    {{ debezium_rejection() }} as rejection
{%- endmacro %}
