-- TDSQL: GTIDs of one source are ordered by their number, the sources by where they began.

select
    source,
    position_line,
    min(struct(offset, partition)) as line_start
from {{ ref('named_events') }}
where is_ordered_by_line
group by
    source,
    position_line
