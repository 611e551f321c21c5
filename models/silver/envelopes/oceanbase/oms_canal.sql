-- Canal of OceanBase OMS and of the wider family: one message a statement, its rows in `data`; in
-- `old`, row by row, the former values of the columns that an update changed.

with messages as (

    select * from {{ source('bronze', 'oms_canal') }}

),

told_apart as (

    select
        *,
        nullif(message.sql, '') as statement,
        -- isDdl may be false on a statement: its text without any row tells.
        coalesce(message.type in ('INSERT', 'UPDATE', 'DELETE'), false)
        and not coalesce(
            message.sql <> ''
            and (message.isDdl = 'true' or (message.data is null and message.old is null)),
            false
        ) as is_change
    from messages

),

gathered as (

    select
        *,
        case
            -- Older sinks of Flink CDC send the deleted row in `old`.
            when message.type = 'DELETE' then coalesce(message.data, message.old)
            else message.data
        end as images
    from told_apart

),

numbered as (

    select
        gathered.*,
        numbered_images.row_index,
        numbered_images.image_row
    from gathered
        lateral view outer posexplode(if(is_change, images, null)) numbered_images
        as row_index, image_row

)

select
    topic,
    partition,
    offset,
    coalesce(row_index, 0) as row_index,
    batch,
    received_at,
    'oms_canal' as envelope,
    case
        -- Rows changed by a statement that the source logs as text.
        when not is_change and message.type in ('INSERT', 'UPDATE', 'DELETE') then 'QUERY'
        else {{ operation_code(query_operation('message.type', 'statement')) | indent(8) }}
    end as operation_code,
    message.database as database_name,
    cast(null as string) as schema_name,
    message.table as table_name,
    if(size(message.pkNames) > 0, message.pkNames, null) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    case
        when message.type = 'DELETE' then image_row
        -- "The column value before the modification", also of a column that `data` lacks.
        when message.type = 'UPDATE' then map_concat(image_row, get(message.old, row_index))
    end as before,
    if(message.type = 'DELETE', null, image_row) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    {{ last_of_repeated_names('message.mysqlType') }} as column_types,
    -- OMS always says these three; the id is Alibaba's own.
    if(
        message.id is null
        and (
            message.sqlType is not null
            or message.pkNames is not null
            or message.isDdl is not null
        ),
        'oms',
        'canal'
    ) as value_encoding,
    -- The times may be equal everywhere, and may go back: the place orders.
    message.es as event_time,
    'ms' as event_time_unit,
    false as is_backfill,
    array(cast(offset as string), cast(partition as string)) as position_parts,
    concat_ws(' ', topic, partition) as position_line,
    true as is_placed,
    cast(null as string) as unique_id,
    {{ vendor_id('message.gtid') }} as transaction_id,
    if(is_change, null, statement) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    coalesce(
        {{ message_rejection() | indent(8) }},
        if(
            is_change
            and coalesce(
                size(images) = 0
                or exists(images, image -> not coalesce(cardinality(image) > 0, false)),
                true
            ),
            'no rows in data, or a null among them',
            null
        )
    ) as rejection
from numbered
