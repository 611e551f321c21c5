-- One row per batch, mention and line: from where to where its rows stand, so that a run knows which
-- of them stand among rows that were there before.

with lines as (

    select * from {{ ref('mention_lines') }}

)

select
    name_id as unit,
    line,
    built_at,
    array(mention) as sources,
    {{ line_position('least_position') }} as least_line_position,
    least_position,
    greatest_position
from lines
