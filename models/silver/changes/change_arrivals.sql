-- One row per batch, mention and line: from where to where its rows reach. A run knows by it which
-- new rows are among rows that were built before.

with lines as (

    select * from {{ ref('named_lines') }}

)

select
    name_id as unit,
    line,
    built_at,
    {{ line_position('least_position') }} as least_line_position,
    least_position,
    greatest_position
from lines
