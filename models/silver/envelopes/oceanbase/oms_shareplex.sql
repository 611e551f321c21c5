-- OceanBase OMS, serialization SharePlex: an update brings "the modified value" in `data` and the
-- row "before modification" in `key`; all other rows are in `data`.

with messages as (

    select * from {{ source('bronze', 'oms_shareplex') }}

),

located as (

    select
        *,
        message.meta.op,
        {{ sent_image('message.data') }} as data,
        {{ sent_image('message.key') }} as old_row,
        {{ vendor_id('message.meta.scn') }} as scn,
        unix_seconds({{ utc_timestamp('message.meta.time', "'local'", "'UTC'") | indent(8) }})
            as epoch_second,
        -- "The time at which data is written to the destination."
        unix_seconds({{ utc_timestamp('message.meta.posttime', "'local'", "'UTC'") | indent(8) }})
            as written_second,
        -- "{database name.table name}-{primary key value}"
        if(
            startswith(message.meta.rowid, concat(message.meta.table, '-')),
            substr(message.meta.rowid, length(message.meta.table) + 2),
            null
        ) as primary_key_value
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'oms_shareplex' as envelope,
    {{ operation_code('op') }} as operation_code,
    -- "The database and table name in the {database}.{table} format."
    nullif(regexp_extract(message.meta.table, '^([^.]*)[.]', 1), '') as database_name,
    cast(null as string) as schema_name,
    regexp_replace(message.meta.table, '^[^.]*[.]', '') as table_name,
    cast(null as array<string>) as key_columns,
    {{ joined_list('primary_key_value') }} as key_values,
    cast(null as string) as row_id,
    case
        when op = 'upd' then old_row
        when op = 'del' then data
    end as before,
    case
        when op = 'upd' and old_row is not null
            then map_concat(old_row, coalesce(data, map()))
        when op in ('ins', 'upd') then data
    end as after,
    -- Without the row before, the columns that did not change are missing.
    coalesce(op = 'upd' and old_row is null, false) as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'oms' as value_encoding,
    message.meta.time as event_time,
    'local' as event_time_unit,
    coalesce(op = 'ins', false) and {{ has_no_time('message.meta.time') }} as is_backfill,
    {{ oms_position(
        sequence_parts('scn', 'epoch_second')
        ~ ', array(cast(epoch_second as string), ' ~ whole_number('message.meta.seq') ~ ')',
        'cast(written_second as string)'
    ) | indent(4) }} as position_parts,
    cast(null as string) as position_line,
    true as is_placed,
    -- One number may cover several rows, and several changes of one row, by `seq`.
    if(
        scn is null,
        null,
        concat_ws('\u0001', scn, message.meta.rowid, {{ vendor_id('message.meta.seq') }})
    ) as unique_id,
    {{ vendor_id('message.meta.trans') }} as transaction_id,
    nullif(message.sql.ddl, '') as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    'local_second' as statement_anchor,
    'plain' as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() | indent(4) }} as rejection
from located
