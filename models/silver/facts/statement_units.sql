-- One row per batch that brings statements: the run that last read it, and the time zones by which
-- its statements find their positions.

select
    cast(batch as string) as unit,
    {{ whole_stamp(
        'max(mentions.built_at), '
        ~ 'array_sort(collect_set(struct(mentions.mention, mention_names.time_zone)))'
    ) }} as stamp,
    cast(null as map<string, string>) as reach,
    cast(null as array<string>) as about,
    if(sum(mentions.anchored_statements) > 0, array('anchored'), array()) as parts,
    array(batch) as sources,
    cast(null as bigint) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at
from {{ ref('mentions') }} as mentions
inner join {{ ref('mention_names') }} as mention_names
    on mentions.mention = mention_names.mention
where
    mentions.marked_unit is null
    and mention_names.marked_unit is null
    and mentions.statements > 0
group by batch
