-- One row per batch that brings statements: the run that last read it, and the hash of the settings
-- by which its statements find their positions.

select
    cast(batch as string) as unit,
    {{ whole_stamp("max(built_at), '" ~ seed_digest('topics') ~ "'") }} as stamp,
    cast(null as map<string, string>) as reach,
    cast(null as array<string>) as about,
    if(sum(anchored_statements) > 0, array('anchored'), array()) as parts,
    array(batch) as sources,
    cast(null as bigint) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at
from {{ ref('mentions') }}
where
    marked_unit is null
    and statements > 0
group by batch
