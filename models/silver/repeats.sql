-- One row per event that an earlier message had brought, with the change that it repeats.

select
    topic,
    partition,
    offset,
    row_index,
    batch,
    change_id,
    built_at
from {{ ref('changes') }}
where class = 'repeat'
union all
select
    topic,
    partition,
    offset,
    row_index,
    batch,
    event_id as change_id,
    built_at
from {{ ref('placed_statements') }}
where is_repeat
