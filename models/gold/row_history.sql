-- One row per version of a row of a table with a key, in the order of the source's log: each image,
-- and each delete with the row's last image, from when and until when it held. A floor adds no
-- version; it ends the versions below it.

with effects as (

    select *
    from {{ ref('row_effects') }}
    where key is not null

),

-- A version starts from the last base below it; partial images set their columns on it, in order. A
-- long run of partial images is cut into stretches, as otherwise each version would fold all images
-- before it.
numbered as (

    select
        *,
        is_base and not is_image as is_deleted,
        count_if(is_base) over versions as base_number,
        row_number() over versions div 300 as stretch,
        lead(position) over same_floor as next_position,
        lead(event_at) over same_floor as next_at
    from effects
    window
        versions as (partition by state_id order by position),
        same_floor as (partition by state_id, floor_position order by position)

),

composed as (

    select
        *,
        collect_list(if(is_deleted, null, row)) over same_stretch as images,
        lead(position) over same_stretch is null as ends_stretch
    from numbered
    window
        same_stretch as (
            partition by state_id, floor_position, base_number, stretch
            order by position
        )

),

stretches as (

    select
        * except (images),
        if(size(images) = 1, images[0], {{ folded_images('images') | indent(8) }}) as row_in_stretch
    from composed

),

carried as (

    select
        *,
        collect_list(if(ends_stretch, row_in_stretch, null)) over (
            partition by state_id, floor_position, base_number
            order by stretch
            range between unbounded preceding and 1 preceding
        ) as rows_of_stretches
    from stretches

),

rows_so_far as (

    select
        * except (rows_of_stretches),
        if(
            size(rows_of_stretches) = 0,
            row_in_stretch,
            map_concat({{ folded_images('rows_of_stretches') | indent(12) }}, row_in_stretch)
        ) as row_so_far
    from carried

),

with_rows_before as (

    select
        *,
        lag(row_so_far) over (
            partition by state_id, floor_position
            order by position
        ) as row_before
    from rows_so_far

)

select
    with_rows_before.source,
    coalesce(with_rows_before.database_name, names.newest_database) as database_name,
    with_rows_before.schema_name,
    with_rows_before.table_name,
    with_rows_before.key,
    case
        when not is_deleted then row_so_far
        when size(row_before) > 0 then row_before
        else row
    end as row,
    is_deleted,
    next_position is null and floor_position is null as is_current,
    change_id,
    event_at,
    event_at as valid_from,
    coalesce(next_at, if(next_position is null, floor_at, null)) as valid_to,
    position as log_position,
    coalesce(next_position, floor_position) as end_position,
    value_encoding
from with_rows_before
left join {{ ref('names') }} as names on with_rows_before.table_id = names.name_id
