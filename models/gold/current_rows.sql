-- Every live row of every table. Without a key, equal rows are one with a number of copies; one
-- that is taken away more often than it came shows by a number below zero.

select
    source,
    database_name,
    schema_name,
    table_name,
    key,
    row,
    coalesce(copies, 1) as copies,
    change_id,
    event_at,
    log_position,
    value_encoding
from {{ ref('row_states') }}
where is_live
