-- Every live row of every table. Without a key, equal rows are one with a number of copies; one
-- that is taken away more often than it came shows by a number below zero.

select
    row_states.source,
    coalesce(row_states.database_name, named_tables.last_database.name) as database_name,
    row_states.schema_name,
    row_states.table_name,
    row_states.key,
    row_states.row,
    coalesce(row_states.copies, 1) as copies,
    row_states.change_id,
    row_states.event_at,
    row_states.log_position,
    row_states.value_encoding
from {{ ref('row_states') }} as row_states
left join {{ ref('named_tables') }} as named_tables on row_states.table_id = named_tables.name_id
where row_states.is_live
