{{
    config(
        meta={
            'units': 'replay_units',
            'unit': 'source',
            'reads': 'source',
            'only_with': 'statements',
        }
    )
}}
{{- units([ref('replay_units'), ref('statements')]) }}
-- One row per source that has statements: what the statements make of its tables along the log.

select
    source,
    replay_ddl(statements, names, keys, lists) as replay
from {{ ref('replay_inputs') }}
where {{ is_due() }}
