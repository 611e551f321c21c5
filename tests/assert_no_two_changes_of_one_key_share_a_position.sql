-- The state of a key is the change with the greatest position: there must be one.

select
    source,
    database_identity,
    schema_name,
    table_name,
    sort_array(map_entries(key)) as key_entries,
    log_position,
    count(*) as changes
from {{ ref('change_log') }}
where key is not null
group by
    source,
    database_identity,
    schema_name,
    table_name,
    sort_array(map_entries(key)),
    log_position
having count(*) > 1
