{{ config(severity='warn', store_failures_as='view') }}
-- Ids under which a vendor sent different contents: each content is kept as a change of its own.
-- Looks at the newest batches (`tested_batches`).

select
    source,
    database_name,
    schema_name,
    table_name,
    unique_id,
    count(distinct content_hash) as contents
from {{ ref('named_events') }}
where
    unique_id is not null
    and image = 'both'
    and batch >= {{ first_tested_batch() }}
group by
    source,
    database_name,
    schema_name,
    table_name,
    unique_id
having count(distinct content_hash) > 1
