-- One row per committed batch: which envelopes it holds, and the last reroute that moved messages
-- of it.

with moves as (

    select
        batch,
        max(rewrite) as last_move,
        collect_set(topic) as topics
    from {{ source('bronze', 'rewrites') }}
    where cause = 'reroute'
    group by batch

)

select
    cast(batches.batch as string) as unit,
    {{ whole_stamp('coalesce(moves.last_move, 0)') }} as stamp,
    cast(null as map<string, string>) as reach,
    coalesce(moves.topics, array()) as about,
    batches.tables.envelope as parts,
    array(batches.batch) as sources,
    aggregate(batches.tables.messages, 0L, (total, messages) -> total + messages) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at
from {{ source('bronze', 'batches') }} as batches
left join moves on batches.batch = moves.batch
