-- One row per batch that brings statements: the run that last read it, and the time zones by which
-- its statements find their positions. A statement without a number stands behind rows of its
-- topic, of whatever batch: it is placed anew where a reroute has moved some of them.

with topics as (

    select
        topic,
        max(moved_at) as moved_at
    from {{ ref('mention_names') }}
    where marked_unit is null
    group by topic

)

select
    cast(batch as string) as unit,
    {{ whole_stamp(
        'max(mentions.built_at), '
        ~ 'array_sort(collect_set(struct(mentions.mention, mention_names.time_zone))), '
        ~ 'max(if(mentions.anchored_statements > 0, topics.moved_at, null))'
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
inner join topics on mentions.topic = topics.topic
where mentions.statements > 0
group by batch
