{{ config(severity='warn', store_failures_as='view') }}
-- Tables whose rows lack columns of their key: the key is made of the columns that are there, or is
-- missing. Looks at the newest batches (`tested_batches`).

select
    source,
    database_name,
    schema_name,
    table_name,
    table_key_columns,
    count(*) as changes
from {{ ref('changes') }}
where
    class = 'change'
    and batch >= {{ first_tested_batch() }}
    and size(array_except(table_key_columns, map_keys(coalesce(after, before)))) > 0
group by
    source,
    database_name,
    schema_name,
    table_name,
    table_key_columns
