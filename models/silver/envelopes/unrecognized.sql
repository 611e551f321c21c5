-- Messages that no envelope claims: kept whole in bronze, shown in quarantine with the reason.

with messages as (

    select * from {{ source('bronze', 'unrecognized') }}

)

select
    topic,
    partition,
    offset,
    0 as row_index,
    batch,
    received_at,
    'unrecognized' as envelope,
    if(message is null and raw is null, 'tombstone', null) as operation_code,
    cast(null as string) as database_name,
    cast(null as string) as schema_name,
    cast(null as string) as table_name,
    cast(null as array<string>) as key_columns,
    cast(null as array<string>) as key_values,
    cast(null as string) as row_id,
    cast(null as map<string, string>) as before,
    cast(null as map<string, string>) as after,
    false as is_partial,
    'both' as image,
    cast(null as string) as pair_id,
    cast(null as array<string>) as before_values,
    cast(null as array<string>) as after_values,
    cast(null as map<string, string>) as column_types,
    cast(null as string) as value_encoding,
    cast(null as string) as event_time,
    cast(null as string) as event_time_unit,
    false as is_backfill,
    array(cast(offset as string), cast(partition as string)) as position_parts,
    cast(null as string) as position_line,
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
    case
        when raw is not null then coalesce(problem, 'not one JSON object')
        when message is not null
            then 'no known envelope: name it in seeds/topics.csv for this topic'
    end as rejection
from messages
