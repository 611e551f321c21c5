-- What each change does to each row that it touches, in the shape of that row's state: a full
-- image or a delete is a base, a partial image sets its columns, a row without a key gains or loses
-- a copy. Rows have the columns that their table has now; those below a floor are gone.
-- A half that waits for its other half is a partial image: when the pair comes, it stands above it.

with changes as (

    select
        change_log.*,
        (image = 'both' or operation <> 'update') and not is_partial as is_full,
        table_effects.present_name,
        table_effects.floors,
        table_effects.column_changes
    from {{ ref('change_log') }} as change_log
    left join {{ ref('table_effects') }} as table_effects
        on change_log.table_id = table_effects.table_id

),

touching as (

    select
        * except (before, after, state_id, previous_state_id, log_position, key, previous_key),
        -- The row that a change leaves or deletes. A changed key completes a partial image.
        if(
            operation = 'delete' or after is not null,
            struct(
                state_id,
                log_position,
                key,
                coalesce(
                    if(key is null or previous_key is not null, map_concat(before, after), null),
                    after,
                    before
                ) as row,
                operation <> 'delete' as is_image,
                key is not null
                and (is_full or previous_key is not null or operation = 'delete') as is_base,
                case
                    when key is not null then null
                    when operation = 'delete' then -1
                    else 1
                end as copies
            ),
            null
        ) as left_row,
        -- The row that an update takes away: of before its key changed, or one copy without a key.
        if(
            previous_state_id is not null and image = 'both',
            struct(
                previous_state_id as state_id,
                previous_key_position as log_position,
                previous_key as key,
                map_concat(after, before) as row,
                false as is_image,
                key is not null as is_base,
                if(key is null, -1, null) as copies
            ),
            null
        ) as taken_row
    from changes

),

effects as (

    select
        touching.* except (left_row, taken_row),
        effect.*
    from touching
        lateral view explode(array(left_row, taken_row)) as effect
    where effect is not null

),

-- Only tables that were altered, emptied or renamed pay for this.
befallen as (

    select
        *,
        filter(
            column_changes,
            change -> {{ is_above('change.line', 'change.position', 'change.event_at', 'effects')
                | indent(12) }}
        ) as later_changes,
        try_element_at(
            filter(
                floors,
                floor -> {{ is_above('floor.line', 'floor.position', 'floor.event_at', 'effects')
                    | indent(16) }}
            ),
            1
        ) as floor
    from effects

),

present as (

    select
        * except (key, row, copies),
        size(later_changes) > 0 as is_altered,
        copies as change_of_copies,
        if(
            size(later_changes) > 0,
            {{ present_row('row', 'later_changes', 'is_base or copies is not null') | indent(12) }},
            row
        ) as row,
        if(
            size(later_changes) > 0,
            {{ present_row(
                'key', "filter(later_changes, change -> change.action = 'rename')", 'false'
            ) | indent(12) }},
            key
        ) as key
    from befallen

)

select
    if(is_altered, {{ row_state_id('key', 'coalesce(key, row)') | indent(4) }}, state_id)
        as state_id,
    table_id,
    source,
    if(present_name is null, database_name, present_name.database_name) as database_name,
    if(present_name is null, schema_name, present_name.schema_name) as schema_name,
    coalesce(present_name.table_name, table_name) as table_name,
    key,
    log_position as position,
    is_base,
    is_image,
    row,
    if(is_base or (floor is not null and key is not null), log_position, null) as base_position,
    is_base and is_image and floor is null as is_base_live,
    if(
        floor is null and ((is_base and is_image) or change_of_copies is not null), row, null
    ) as base_row,
    if(
        is_image and not is_base and change_of_copies is null and floor is null,
        transform_values(row, (name, value) -> struct(log_position as position, value)),
        null
    ) as column_values,
    if(floor is null or change_of_copies is null, change_of_copies, 0) as copies,
    -- Of rows without a key, the last change that added a copy speaks for it.
    if(change_of_copies = -1, null, log_position) as log_position,
    floor.position as floor_position,
    timestamp_micros(floor.event_at) as floor_at,
    change_id,
    event_at,
    value_encoding,
    column_types,
    time_zone,
    built_at
from present
