-- OMS Debezium, and Debezium of the wider family, in `payload`: "by default, only the structure of
-- payload is displayed".

with messages as (

    select
        *,
        message.payload.*,
        get(
            filter(message.schema.fields, part -> part.field in ('before', 'after')), 0
        ).fields as typed_columns
    from {{ source('bronze', 'oms_debezium') }}

),

told_apart as (

    select
        *,
        {{ debezium_facts('$.message.payload') | indent(8) }}
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
    'oms_debezium' as envelope,
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
    -- The logical type, such as io.debezium.time.Date, says more than int32.
    map_from_entries(
        transform(
            filter(typed_columns, typed -> typed.field is not null),
            typed -> struct(typed.field, coalesce(typed.name, typed.type))
        )
    ) as column_types,
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
