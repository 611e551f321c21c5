{{ config(severity='warn', store_failures_as='view') }}
-- The state of a key is the change with the greatest position. Lists changes of one key that have
-- the same position but for the place in the topic, which ends it: the vendor sent equal
-- coordinates, and the order of arrival decides between these changes. Looks at the newest batches
-- (`tested_batches`).

with placed as (

    select
        *,
        concat_ws(
            ' ', topic, {{ position_count('partition') }}, {{ position_count('offset') }}
        ) as place
    from {{ ref('change_log') }}
    where
        key is not null
        and batch >= {{ first_tested_batch() }}

)

select
    source,
    database_identity,
    schema_name,
    table_name,
    state_id,
    left(log_position, length(log_position) - length(place)) as coordinates,
    count(*) as changes
from placed
group by
    source,
    database_identity,
    schema_name,
    table_name,
    state_id,
    left(log_position, length(log_position) - length(place))
having count(*) > 1
