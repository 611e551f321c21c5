-- Google Datastream: one event a message, "each event contains the whole changed row" and no row
-- before it; the row of a delete is the deleted one.

with messages as (

    select * from {{ source('bronze', 'datastream') }}

),

events as (

    select
        *,
        message.*,
        message.source_metadata.*
    from messages

),

told_apart as (

    select
        * except (row_id, log_file, payload),
        -- A field without a value may be '', as the document's samples show.
        nullif(row_id, '') as row_id,
        nullif(log_file, '') as log_file,
        {{ sent_image('payload') }} as payload,
        -- Spanner's mod_type is what change_type is elsewhere.
        coalesce(change_type, mod_type) as change,
        case
            when size(primary_keys) > 0 then primary_keys
            when size(replication_index) > 0 then replication_index
        end as named_keys,
        -- UPDATE-DELETE, the old row of a changed key, comes with is_deleted false from Oracle.
        coalesce(
            cast(is_deleted as boolean)
            or endswith(change_type, 'DELETE')
            or endswith(mod_type, 'DELETE'),
            false
        ) as is_delete,
        -- The spellings vary (mysql-backfill-fulldump, postgresql-backfill, oracle_dump, backfill).
        coalesce(
            contains(read_method, 'backfill')
            or contains(read_method, 'dump')
            or change_type = 'READ'
            or cast(snapshot as boolean),
            false
        ) as is_read,
        is_read and not is_delete as is_backfill,
        -- A bare `backfill` or `cdc` names no source: the metadata tell it.
        coalesce(
            regexp_substr(
                read_method, '^(mysql|oracle|postgres|sqlserver|salesforce|mongodb|spanner)'
            ),
            case
                when collection is not null then 'mongodb'
                when coalesce(scn, nullif(row_id, ''), nullif(rs_id, '')) is not null then 'oracle'
                when
                    contains(lsn, ':')
                    or physical_location <> ''
                    or size(replication_index) > 0
                    then 'sqlserver'
                when lsn is not null then 'postgres'
                when coalesce(log_position, binlog_position) is not null then 'mysql'
                when commit_timestamp is not null then 'spanner'
            end
        ) as source_kind,
        -- What `sort_keys` repeat of the fields of these sources, behind a time in milliseconds.
        if(source_kind = 'mysql' and size(sort_keys) = 3, sort_keys, null) as mysql_keys,
        if(
            source_kind = 'oracle'
            and size(sort_keys) = 4
            and coalesce(scn = get(sort_keys, 1), true),
            sort_keys,
            null
        ) as oracle_keys,
        trim(coalesce(nullif(rs_id, ''), get(oracle_keys, 2))) as redo_record,
        if(source_kind = 'postgres' and size(sort_keys) = 2, sort_keys, null) as postgres_keys,
        coalesce(nullif(lsn, ''), get(postgres_keys, 1)) as postgres_lsn
    from events

),

-- The event's place as the source's own fields say it; NULL for a source that is not known.
located as (

    select
        *,
        case
            when is_backfill
                then array(
                    {{ epoch_micros('source_timestamp') }},
                    {{ epoch_micros('read_timestamp') }}
                )
            -- The numeric suffix of mysql-bin.000123, and the offset in that file; streams that
            -- follow GTIDs name both otherwise.
            when source_kind = 'mysql'
                then array(
                    regexp_substr(
                        coalesce(log_file, binlog_file, get(mysql_keys, 1)), '[0-9]+$'
                    ),
                    {{ whole_number(
                        'coalesce(log_position, binlog_position, get(mysql_keys, 2))'
                    ) | indent(20) }}
                )
            -- The document orders by (rs_id, ssn), which its own sample contradicts: scn comes
            -- first.
            when source_kind = 'oracle'
                then array(
                    {{ whole_number('coalesce(scn, get(oracle_keys, 1))') }},
                    {{ hex_number("split_part(replace(redo_record, '0x', ''), '.', 1)") }},
                    {{ hex_number("split_part(redo_record, '.', 2)") }},
                    {{ hex_number("split_part(redo_record, '.', 3)") }},
                    {{ whole_number('coalesce(ssn, get(oracle_keys, 3))') }}
                )
            -- 16/CB002DB0
            when source_kind = 'postgres'
                then array(
                    {{ epoch_micros('source_timestamp') }},
                    {{ hex_number("split_part(postgres_lsn, '/', 1)") }},
                    {{ hex_number("split_part(postgres_lsn, '/', 2)") }}
                )
            -- 00000025:00000728:0003
            when source_kind = 'sqlserver'
                then array(
                    {{ epoch_micros('source_timestamp') }},
                    {{ hex_number("split_part(lsn, ':', 1)") }},
                    {{ hex_number("split_part(lsn, ':', 2)") }},
                    {{ hex_number("split_part(lsn, ':', 3)") }}
                )
            when source_kind = 'spanner'
                then array(
                    {{ epoch_micros('commit_timestamp') }},
                    {{ whole_number('record_sequence') }},
                    {{ whole_number('mod_index') }}
                )
            -- Seconds and a counter or nanoseconds, however they are written.
            when source_kind = 'mongodb'
                then regexp_extract_all(
                    coalesce(ts, clusterTime, array_join(sort_keys, ' ')), '([0-9]+)'
                )
            -- No two changes of one record in the same second.
            when source_kind = 'salesforce' then array({{ epoch_micros('source_timestamp') }})
        end as place
    from told_apart

),

-- Where the source's own fields say nothing, `sort_keys` do: values by which events can be sorted,
-- numbers and names of files with numbers.
placed as (

    select
        * except (place),
        if(
            is_backfill or exists(place, part -> part is not null),
            place,
            nullif(regexp_extract_all(array_join(sort_keys, ' '), '([0-9]+)'), array())
        ) as place
    from located

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'datastream' as envelope,
    case
        when message is null and raw is null then 'tombstone'
        when is_delete then if(endswith(change, 'DELETE'), change, 'DELETE')
        when is_read then 'READ'
        else change
    end as operation_code,
    coalesce(database, database_id) as database_name,
    schema as schema_name,
    coalesce(`table`, collection, object_name, object) as table_name,
    case
        -- SQL Server's key may differ from its payload in case.
        when source_kind = 'sqlserver'
            then transform(named_keys, name -> if(
                coalesce(map_contains_key(payload, name), true),
                name,
                coalesce(
                    get(filter(map_keys(payload), sent -> lower(sent) = lower(name)), 0), name
                )
            ))
        -- "The _id field, which is the primary key of each document of a collection".
        when source_kind = 'mongodb' and named_keys is null then array('_id')
        else named_keys
    end as key_columns,
    cast(null as array<string>) as key_values,
    row_id,
    if(is_delete, payload, null) as before,
    if(is_delete, null, payload) as after,
    -- Spanner's change streams send either whole rows or the changed columns.
    coalesce(
        change = 'UPDATE' and value_capture_type in ('NEW_VALUES', 'OLD_AND_NEW_VALUES'), false
    ) as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    'datastream' as value_encoding,
    source_timestamp as event_time,
    'iso' as event_time_unit,
    is_backfill,
    coalesce(
        place,
        array(
            {{ epoch_micros('source_timestamp') }},
            cast(offset as string),
            cast(partition as string)
        )
    ) as position_parts,
    cast(null as string) as position_line,
    place is not null as is_placed,
    {{ vendor_id('uuid') }} as unique_id,
    coalesce({{ vendor_id('tx_id') }}, server_transaction_id) as transaction_id,
    cast(null as string) as statement,
    cast(null as string) as statement_meta,
    source_kind as database_type,
    cast(null as string) as table_changes,
    cast(null as string) as statement_anchor,
    if(source_kind = 'oracle', 'optional', 'plain') as database_naming,
    false as is_ordered_by_line,
    {{ message_rejection() }} as rejection
from placed
