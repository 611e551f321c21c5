{{ config(severity='warn', store_failures_as='view') }}
-- OMS names a database `tenant.database`; the tenant does not count for what is one table. Tables
-- of two tenants need two sources in seeds/topics.csv. Looks at the newest batches
-- (`tested_batches`).

select
    source,
    database_identity,
    table_name,
    array_sort(collect_set(database_name)) as databases
from {{ ref('change_log') }}
where
    envelope in ('oms_default', 'oms_default_extend_column_type')
    and batch >= {{ first_tested_batch() }}
group by
    source,
    database_identity,
    table_name
having size(collect_set(if(contains(database_name, '.'), database_name, null))) > 1
