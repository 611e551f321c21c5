{{ config(severity='warn', store_failures_as='view') }}
-- Values that did not fit their declared types, by column.

select
    model_name,
    column_name,
    count(*) as failures,
    min(value) as first_value
from {{ ref('cast_failures') }}
group by
    model_name,
    column_name
