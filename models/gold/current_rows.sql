-- Every live row of every table, from the whole log. With a key: the last full image or delete, and
-- the partial images above it. Without one: each content with its number of copies.

with changes as (

    select
        source,
        database_name,
        database_identity,
        schema_name,
        table_name,
        operation,
        before,
        after,
        key,
        previous_key,
        is_partial,
        change_id,
        event_at,
        log_position,
        previous_key_position,
        value_encoding
    from {{ ref('change_log') }}

),

-- Maps do not group; their sorted entries do.
keyed_effects as (

    select
        *,
        sort_array(map_entries(key)) as row_identity,
        log_position as position,
        operation <> 'delete' as is_live
    from changes
    where
        key is not null
        and (operation = 'delete' or after is not null)
    union all
    select
        *,
        sort_array(map_entries(previous_key)) as row_identity,
        previous_key_position as position,
        false as is_live
    from changes
    where previous_key is not null

),

keyed_states as (

    select
        source,
        schema_name,
        table_name,
        max_by(database_name, position) filter (where database_name is not null) as database_name,
        max_by(
            struct(position, is_live, if(is_live, after, null) as row),
            position
        ) filter (where not (is_live and is_partial)) as base,
        collect_list(struct(position, after)) filter (
            where is_live and is_partial
        ) as partial_images,
        max_by(struct(key, change_id, event_at, log_position, value_encoding), position) as last
    from keyed_effects
    group by
        source,
        database_identity,
        schema_name,
        table_name,
        row_identity

),

keyed_rows as (

    select
        *,
        array_sort(
            filter(partial_images, image -> base is null or image.position > base.position),
            (one, other) -> if(one.position < other.position, -1, 1)
        ) as images_above_base
    from keyed_states

),

copies as (

    select
        *,
        sort_array(map_entries(after)) as row_identity,
        after as row,
        1 as copies
    from changes
    where
        key is null
        and after is not null
    union all
    select
        *,
        sort_array(map_entries(before)) as row_identity,
        before as row,
        -1 as copies
    from changes
    where
        key is null
        and before is not null

),

counted_rows as (

    select
        source,
        schema_name,
        table_name,
        max_by(database_name, log_position) filter (
            where database_name is not null
        ) as database_name,
        any_value(row) as row,
        cast(sum(copies) as int) as copies,
        max_by(
            struct(change_id, event_at, log_position, value_encoding), log_position
        ) filter (where copies = 1) as last
    from copies
    group by
        source,
        database_identity,
        schema_name,
        table_name,
        row_identity

)

select
    source,
    database_name,
    schema_name,
    table_name,
    last.key,
    aggregate(
        images_above_base,
        coalesce(base.row, cast(map() as map<string, string>)),
        (row, image) -> map_concat(row, image.after)
    ) as row,
    1 as copies,
    last.change_id,
    last.event_at,
    last.log_position,
    last.value_encoding
from keyed_rows
where
    base.is_live
    or size(images_above_base) > 0
union all
select
    source,
    database_name,
    schema_name,
    table_name,
    cast(null as map<string, string>) as key,
    row,
    copies,
    last.change_id,
    last.event_at,
    last.log_position,
    last.value_encoding
from counted_rows
where copies <> 0
