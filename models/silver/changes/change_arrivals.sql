-- One row per batch, mention and line: from where to where its rows reach, by the name and the
-- start of the line that the facts give. Marks and rows are made of the same facts, also where a
-- run rebuilds resolve.changes alone. A run knows by it which new rows are among rows that were
-- built before.

with named as (

    select
        mentions.line,
        mentions.least_position,
        mentions.greatest_position,
        mentions.repeated_to_position,
        mentions.built_at,
        facts.name_id,
        facts.line_starts[mentions.line] as line_start
    from {{ ref('mentions') }} as mentions
    inner join {{ ref('facts') }} as facts on mentions.mention = facts.mention

)

select
    name_id as unit,
    line,
    line_start,
    built_at,
    {{ line_position('least_position') }} as least_line_position,
    least_position,
    greatest_position,
    repeated_to_position
from named
