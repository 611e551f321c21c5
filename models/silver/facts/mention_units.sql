-- One row per batch that resolve.events holds: the run that last read it.

select
    marked_unit as unit,
    {{ whole_stamp("built_at, '" ~ seed_digest('operation_codes') ~ "'") }} as stamp,
    cast(null as map<string, string>) as reach,
    mark.about,
    array() as parts,
    array(cast(marked_unit as bigint)) as sources,
    cast(null as bigint) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at
from {{ ref('events') }}
where marked_unit <> ''
