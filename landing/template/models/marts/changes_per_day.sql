-- A model of your own: how many rows of each table were written and deleted each day. It is remade
-- by each `dbt run`; take it as a beginning, or delete it.

select
    source,
    database_name,
    table_name,
    date(event_at) as day,
    count_if(operation <> 'delete') as written_rows,
    count_if(operation = 'delete') as deleted_rows
from {{ ref('onelog', 'change_log') }}
group by
    source,
    database_name,
    table_name,
    date(event_at)
