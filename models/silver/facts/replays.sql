{{
    config(
        meta={
            'units': 'replay_units',
            'unit': 'source',
            'reads': 'unit',
            'only_with': 'statements',
        }
    )
}}
{{- units([ref('statements')]) }}
-- One row per source that has statements: what the statements make of its tables along the log.

select
    unit as source,
    replay_ddl(statements, names, keys, lists) as replay
from {{ ref('replay_units') }}
where {{ is_due() }}
