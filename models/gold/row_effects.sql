-- What each change does to each row that it touches, in the shape of that row's state: a full
-- image or a delete is a base, a partial image sets its columns, a row without a key gains or loses
-- a copy.
-- A half that waits for its other half is a partial image: when the pair comes, it stands above it.

with changes as (

    select
        *,
        (image = 'both' or operation <> 'update') and not is_partial as is_full
    from {{ ref('change_log') }}

),

effects as (

    -- The row that a change leaves or deletes. A changed key completes a partial image.
    select
        *,
        state_id as row_state_id,
        log_position as position,
        key as row_key,
        operation <> 'delete' as is_image,
        key is not null
        and (is_full or previous_key is not null or operation = 'delete') as is_base,
        coalesce(
            if(key is null or previous_key is not null, map_concat(before, after), null),
            after,
            before
        ) as row,
        case
            when key is not null then null
            when operation = 'delete' then -1
            else 1
        end as copies
    from changes
    where
        operation = 'delete'
        or after is not null
    union all
    -- The row that an update takes away: of before its key changed, or one copy without a key.
    select
        *,
        previous_state_id as row_state_id,
        previous_key_position as position,
        previous_key as row_key,
        false as is_image,
        key is not null as is_base,
        map_concat(after, before) as row,
        if(key is null, -1, null) as copies
    from changes
    where
        previous_state_id is not null
        and image = 'both'

)

select
    row_state_id as state_id,
    table_id,
    source,
    database_name,
    schema_name,
    table_name,
    row_key as key,
    if(is_base, position, null) as base_position,
    is_base and is_image as is_base_live,
    if((is_base and is_image) or copies is not null, row, null) as base_row,
    if(is_base and not is_image, row, null) as deleted_row,
    if(
        is_image and not is_base and copies is null,
        transform_values(row, (name, value) -> struct(position, value)),
        null
    ) as column_values,
    copies,
    -- Of rows without a key, the last change that added a copy speaks for it.
    if(copies = -1, null, position) as log_position,
    change_id,
    event_at,
    value_encoding,
    column_types,
    time_zone,
    built_at
from effects
