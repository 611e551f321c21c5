-- Maxwell's daemon: a message a row of MySQL; of an update `old` has the former values of the
-- columns that it changed.

with messages as (

    select * from {{ source('bronze', 'maxwell') }}

),

named as (

    select
        *,
        {{ sent_image('message.data') }} as data,
        -- "{ "database":"test_tb","table":"test_tbl","pk.id":4,"pk.part2":"hello"}", all in lower
        -- case.
        transform(
            filter(map_keys({{ kafka_key() | indent(12) }}), name -> startswith(name, 'pk.')),
            name -> substr(name, 4)
        ) as record_key
    from messages

),

located as (

    select
        *,
        case
            when size(message.primary_key_columns) > 0 then message.primary_key_columns
            when size(record_key) > 0
                then transform(
                    record_key,
                    name -> coalesce(
                        get(filter(map_keys(data), sent -> lower(sent) = name), 0), name
                    )
                )
        end as key_columns,
        coalesce(
            message.type in ('insert', 'update', 'delete', 'bootstrap-insert'), false
        ) as is_change,
        startswith(message.type, 'table-') or startswith(message.type, 'database-') as is_statement,
        -- RENAME TABLE comes once for each of its tables, with the whole text: played twice, names
        -- that change places would change back. The message of the first one counts.
        lower(
            regexp_extract(
                regexp_replace(message.sql, r'(?s)/\*.*?\*/', ' '),
                concat(
                    r'(?i)^\s*rename\s+tables?\s+(?:(?:`[^`]+`|[^\s.,`]+)\s*\.\s*)?',
                    r'`?((?<=`)[^`]+|[^\s.,;`]+)'
                ),
                1
            )
        ) as first_renamed
    from named

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'maxwell' as envelope,
    if(
        is_statement and first_renamed not in ('', lower(message.table)),
        'another table of a statement',
        {{ operation_code('message.type') }}
    ) as operation_code,
    message.database as database_name,
    cast(null as string) as schema_name,
    message.table as table_name,
    key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    case
        when message.type = 'delete' then data
        -- "You can reconstruct what the row was by doing data.merge(old)."
        -- An `old` without a column lacks those that were NULL (output_nulls=false).
        when message.type = 'update' and not coalesce(size(message.old) = 0, false)
            then map_concat(data, coalesce(message.old, map()))
    end as before,
    if(is_change and message.type <> 'delete', data, null) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'maxwell' as value_encoding,
    message.ts as event_time,
    -- Seconds of a row, milliseconds of a statement.
    'magnitude' as event_time_unit,
    false as is_backfill,
    -- One thread writes what it reads: the place orders, bootstrapped rows too.
    array(cast(offset as string), cast(partition as string)) as position_parts,
    concat_ws(' ', topic, partition) as position_line,
    true as is_placed,
    cast(null as string) as unique_id,
    coalesce({{ vendor_id('message.gtid') }}, {{ vendor_id('message.xid') }}) as transaction_id,
    if(is_statement, nullif(message.sql, ''), null) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    coalesce(
        {{ message_rejection() | indent(8) }},
        case
            when message.encrypted is not null then 'encrypted'
            -- "A skeleton row (a row where data includes only primary key columns)"
            when message.reason is not null
                then concat('the key alone of a row that was not sent: ', message.reason)
            when is_change and data is null then 'no row in data'
            when is_statement and coalesce(message.sql, '') = '' then 'a statement without its sql'
        end
    ) as rejection
from located
