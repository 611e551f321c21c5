-- Every live row of every table. In a table without a key, equal rows are one with a number of
-- copies. A number below zero says that more copies were taken away than came.

select
    row_states.source,
    coalesce(row_states.database_name, names.newest_database) as database_name,
    row_states.schema_name,
    row_states.table_name,
    row_states.key,
    row_states.row,
    row_states.state_id,
    coalesce(row_states.copies, 1) as copies,
    row_states.change_id,
    row_states.event_at,
    row_states.log_position,
    row_states.value_encoding
from {{ ref('row_states') }} as row_states
left join {{ ref('names') }} as names on row_states.table_id = names.name_id
where row_states.is_live
