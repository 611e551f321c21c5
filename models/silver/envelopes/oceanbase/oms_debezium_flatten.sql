-- OMS DebeziumFlatten, and Debezium of the wider family without a wrapper: "different from the
-- Debezium serialization method, [it] does not have the schema or payload section".

with messages as (

    select
        *,
        message.*
    from {{ source('bronze', 'oms_debezium_flatten') }}

),

told_apart as (

    select
        *,
        {{ debezium_facts('$.message') | indent(8) }}
    from messages

),

events as (

    select
        * except (before, after),
        {{ debezium_columns() | indent(8) }}
    from told_apart

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_debezium_flatten' as envelope,
    operation_code,
    database_name,
    schema_name,
    table_name,
    key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    before,
    after,
    is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    value_encoding,
    event_time,
    'magnitude' as event_time_unit,
    is_backfill,
    position_parts,
    cast(null as string) as position_line,
    is_placed,
    unique_id,
    transaction_id,
    statement,
    cast(null as string) as statement_meta,
    database_type,
    table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    rejection
from events
