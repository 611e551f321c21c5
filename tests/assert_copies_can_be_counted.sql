{{ config(severity='warn', store_failures_as='view') }}
-- Tables without a key whose updates or deletes do not say which row there was before: copies of
-- their rows are only ever added. Looks at the newest batches (`tested_batches`).

select distinct table_id
from {{ ref('change_log') }}
where
    key is null
    and image = 'both'
    and operation in ('update', 'upsert')
    and before is null
    and batch >= {{ first_tested_batch() }}
