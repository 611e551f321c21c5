-- One row per event that is no statement, with all that is common to the envelopes: its table and
-- key, its time in UTC, its position, and its class (change, control, rejected, repeat). The logs
-- are views of it.

{{
    config(
        tblproperties={
            'delta.dataSkippingStatsColumns':
                'marked_unit,built_at,batch,topic,class,name_id,table_id,log_position,event_at',
        },
        meta={
            'units': 'change_units',
            'unit': 'name_id',
            'reads': 'mention',
            'grows': true,
            'source': 'events',
            'identity': 'id_hash',
            'arrivals': 'change_arrivals',
            'supersedes': 'change_id',
        },
    )
}}

{{- units([ref('events'), ref('change_units'), ref('change_arrivals')]) }}
select
    change_id,
    envelope,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    database_identity,
    name_id,
    table_id,
    line,
    operation,
    if(class = 'repeat', null, before) as before,
    if(class = 'repeat', null, after) as after,
    if(class = 'repeat', null, key) as key,
    if(class = 'repeat', null, previous_key) as previous_key,
    -- A row of a table with a key is known by the key, a row of a table without one by its whole
    -- content: the row that the change leaves, a partial image completed from the one before, and
    -- the row that it removes, completed from the one after.
    if(
        class = 'change',
        {{ row_state_id(
            'key',
            'coalesce(key, if(is_partial, map_concat(before, after), null), after, before)'
        ) | indent(8) }},
        null
    ) as state_id,
    if(
        class = 'change',
        {{ row_state_id(
            'key',
            'if(key is null, if(after is null, null, coalesce(map_concat(after, before), before)),
            previous_key)'
        ) | indent(8) }},
        null
    ) as previous_state_id,
    table_key_columns,
    column_types,
    value_encoding,
    time_zone,
    transaction_id,
    event_at,
    log_position,
    -- The row that a change removes is below any image of the same message.
    if(previous_key is not null or key is null, {{ log_position('1') }}, null)
        as previous_key_position,
    is_partial,
    image,
    is_backfill,
    statement,
    reason,
    messages,
    supersedes,
    partition,
    offset,
    row_index,
    batch,
    received_at,
    class
from {{ ref('keyed_events') }}
