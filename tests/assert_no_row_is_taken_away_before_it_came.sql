{{ config(severity='warn', store_failures_as='view') }}
-- Rows of tables without a key that were taken away more often than they came: changes are missing.

select
    table_id,
    row,
    copies
from {{ ref('row_states') }}
where copies < 0
