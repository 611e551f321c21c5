-- One row per batch, mention and line. Where lines are ordered (TDSQL's GTID sources), positions
-- begin with the place at which the line first landed: `line_start`.

with lines as (

    select
        mentions.mention,
        mentions.line,
        mentions.batch,
        mention_names.source,
        max(mentions.position_line) as position_line,
        min(mentions.line_start) as line_start
    from {{ ref('mentions') }} as mentions
    inner join {{ ref('mention_names') }} as mention_names
        on mentions.mention = mention_names.mention
    group by
        mentions.mention,
        mentions.line,
        mentions.batch,
        mention_names.source

),

started as (

    select
        *,
        min(line_start) over (partition by source, position_line) as start
    from lines

)

select
    mention,
    line,
    batch,
    if(
        start is null,
        null,
        concat_ws(
            ' ',
            {{ position_count('start.offset') }},
            {{ position_count('start.partition') }}
        )
    ) as line_start
from started
