{{ config(severity='warn', store_failures_as='view') }}
-- A half of an update whose other half has not come (yet).

select
    change_id,
    topic,
    partition,
    offset,
    image
from {{ ref('change_log') }}
where image <> 'both'
