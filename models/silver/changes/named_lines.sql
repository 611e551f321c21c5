-- One row per batch, mention and line: from where to where its rows reach, with the name and the
-- start of the line that the facts give them. Marks and rows are made of the same facts, also
-- where a run rebuilds resolve.changes alone.

with mentions as (

    select * from {{ ref('mentions') }}
    where marked_unit is null

),

facts as (

    select * from {{ ref('facts') }}
    where marked_unit is null

)

select
    mentions.mention,
    mentions.line,
    facts.name_id,
    facts.line_starts[mentions.line] as line_start,
    mentions.least_position,
    mentions.greatest_position,
    mentions.built_at
from mentions
inner join facts on mentions.mention = facts.mention
