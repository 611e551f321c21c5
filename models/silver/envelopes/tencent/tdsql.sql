-- TDSQL data subscription: one binlog event a message. Rows are positional SQL literals; the column
-- names are in the log's own DDL ("QUERY events represent DDL statements"), below the union.

with messages as (

    select * from {{ source('bronze', 'tdsql') }}

),

events as (

    select
        *,
        message.*,
        message.eventtypestr in ('insert', 'update', 'delete') as is_row,
        -- uuid:number (newer MySQL: uuid:tag:number), or MariaDB's domain-server-number, where the
        -- server changes at a failover: the numbers go on within the domain.
        regexp_substr(
            message.gtid,
            '^[^:,]+(:[A-Za-z_]\\w*)?(?=:[0-9]+$)|^[0-9]+(?=-[0-9]+-[0-9]+$)'
        ) as gtid_source,
        -- The binlog writes a transaction's begin and end as queries too; they are no DDL.
        nullif(
            regexp_extract(
                lower(message.sql),
                '^\\s*(begin|start transaction|commit|rollback|savepoint|release savepoint|xa)\\b'
            ),
            ''
        ) as transaction_mark,
        nullif(message.sql, '') as statement
    from messages

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'tdsql' as envelope,
    case
        when message is null and raw is null then 'tombstone'
        when eventtypestr = 'query' and statement is null then 'query without sql'
        when eventtypestr = 'query' then coalesce(transaction_mark, 'query')
        else eventtypestr
    end as operation_code,
    db as database_name,
    cast(null as string) as schema_name,
    -- A query's tables are in its SQL; what query, gtid and xid events say here means nothing.
    if(is_row, `table`, null) as table_name,
    cast(null as array<string>) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    cast(null as map<string, string>) as before,
    cast(null as map<string, string>) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    -- "The values of each field before the row change"; empty for an insert.
    if(is_row and size(`where`) > 0, `where`, null) as before_values,
    -- "The values of each field after the row has been modified"; empty for a delete.
    if(is_row and size(field) > 0, field, null) as after_values,
    cast(null as map<string, string>) as column_types,
    'tdsql' as value_encoding,
    -- The time of the whole transaction: it orders nothing.
    begintime as event_time,
    's' as event_time_unit,
    false as is_backfill,
    if(
        gtid_source is not null,
        array(regexp_substr(gtid, '[0-9]+$'), {{ whole_number('event_index') }}),
        array(
            {{ whole_number('begintime') }}, cast(offset as string), cast(partition as string)
        )
    ) as position_parts,
    gtid_source as position_line,
    gtid_source is not null as is_placed,
    concat({{ vendor_id('gtid') }}, '\u0001', {{ vendor_id('event_index') }}) as unique_id,
    {{ vendor_id('gtid') }} as transaction_id,
    if(eventtypestr = 'query', statement, null) as statement,
    cast(null as string) as statement_meta,
    cast(null as string) as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    'plain' as database_naming,
    gtid_source is not null as is_ordered_by_line,
    {{ message_rejection() }} as rejection
from events
