-- One row per source that has statements: the hash of all that they are replayed with.

select
    source as unit,
    {{ whole_stamp('statements, names, keys, lists') }} as stamp,
    cast(null as map<string, string>) as reach,
    cast(null as array<string>) as about,
    array() as parts,
    array(source) as sources,
    cast(null as bigint) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at
from {{ ref('replay_inputs') }}
