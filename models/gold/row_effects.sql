-- One row per row of a table that a change touches: the row that the change writes, and the row
-- that it removes (the old key, or one copy of the old content). A full image or a delete is a
-- base. A partial image sets its columns. In a table without a key, a row gains or loses a copy.
-- Rows have the columns that their table has now. Rows below a floor are not live.
-- Until its other half arrives, a half counts as a partial image. The pair has the same position
-- and, being a base, replaces it.

{%- set renames = "filter(later_changes, change -> change.action = 'rename')" %}
{#- A key column that was added is in the keys of older rows, too. #}
{%- set changes_of_key = "filter(later_changes, change -> change.action = 'rename'
    or (change.action = 'add' and array_contains(table_key_columns, change.column_name)))" %}

with changes as (

    select
        *,
        (image = 'both' or operation <> 'update') and not is_partial as is_full,
        previous_state_id is not null and image = 'both' as takes_a_row
    from {{ ref('change_log') }}

),

effects as (

    select
        * except (before, after, state_id, previous_state_id, log_position, key, previous_key),
        if(is_taken, previous_state_id, state_id) as state_id,
        if(is_taken, previous_key_position, log_position) as log_position,
        if(is_taken, previous_key, key) as key,
        -- Without a key, or where it changed, the before image completes a partial image.
        if(
            is_taken,
            map_concat(after, before),
            coalesce(
                if(
                    is_partial and (key is null or previous_key is not null),
                    map_concat(before, after),
                    null
                ),
                after,
                before
            )
        ) as row,
        not is_taken and operation <> 'delete' as is_image,
        key is not null
        and (is_taken or is_full or previous_key is not null or operation = 'delete') as is_base,
        case
            when key is not null then null
            when is_taken or operation = 'delete' then -1
            else 1
        end as change_of_copies
    from changes
        lateral view explode(
            case
                when takes_a_row and (operation = 'delete' or after is not null)
                    then array(false, true)
                when takes_a_row then array(true)
                when operation = 'delete' or after is not null then array(false)
            end
        ) rows as is_taken

),

with_statements as (

    select
        effects.*,
        table_effects.present_name,
        filter(
            table_effects.column_changes,
            change -> {{ is_above('change.line', 'change.position', 'change.first_at', 'effects')
                | indent(12) }}
        ) as all_later_changes,
        -- Changes of a table that was made again after a DROP do not concern the rows before it.
        slice(
            all_later_changes,
            1,
            coalesce(
                nullif(array_position(all_later_changes.action, 'floor'), 0) - 1,
                size(all_later_changes)
            )
        ) as later_changes,
        try_element_at(
            filter(
                table_effects.floors,
                floor -> {{ is_above('floor.line', 'floor.position', 'floor.first_at', 'effects')
                    | indent(16) }}
            ),
            1
        ) as floor
    from effects
    left join {{ ref('table_effects') }} as table_effects
        on effects.table_id = table_effects.table_id

),

present as (

    select
        * except (key, row, column_types),
        floor is not null as is_below_floor,
        -- Of a row with a key, what a floor ends stands below all else: another line, or a later
        -- backfill, may bring the row anew at a lower position.
        if(floor is null or key is null, log_position, concat('- ', log_position))
            as fold_position,
        size(later_changes) > 0 as is_altered,
        {{ present_row('row', 'later_changes', 'is_base or change_of_copies is not null')
            | indent(8) }} as row,
        {{ present_row('key', changes_of_key, 'true') | indent(8) }} as key,
        {{ present_row('column_types', renames, 'false') | indent(8) }} as column_types
    from with_statements

)

select
    if(
        is_altered, {{ row_state_id('key', 'coalesce(key, row)') | indent(8) }}, state_id
    ) as state_id,
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
    if(is_base or (is_below_floor and key is not null), fold_position, null) as base_position,
    is_base and is_image and not is_below_floor as is_base_live,
    if(is_below_floor or (key is not null and not is_image), null, row) as row_image,
    is_image and not is_base and change_of_copies is null and not is_below_floor as sets_columns,
    if(is_below_floor and change_of_copies is not null, 0, change_of_copies) as copies,
    floor.position as floor_position,
    timestamp_micros(floor.event_at) as floor_at,
    -- A row without a key shows the last change that added a copy, never one that took a copy.
    if(change_of_copies = -1, null, fold_position) as log_position,
    {% for column in ['change_id', 'event_at', 'column_types'] %}
    if(change_of_copies = -1, null, {{ column }}) as {{ column }},
    {% endfor %}
    value_encoding,
    time_zone,
    built_at
from present
