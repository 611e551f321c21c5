-- Every version of every row of the tables with a key, in the order of the source's log: each
-- image, each delete with the row's last image, from when and until when it held.

with effects as (

    select
        row_effects.*,
        coalesce(base_position, log_position) as position
    from {{ ref('row_effects') }} as row_effects
    where copies is null

),

-- A version starts from the last base below it; partial images set their columns on it, in order.
numbered as (

    select
        *,
        count(base_position) over versions as base_number,
        lead(position) over versions as end_position,
        lead(event_at) over versions as valid_to
    from effects
    window versions as (partition by state_id order by position)

),

composed as (

    select
        *,
        collect_list(coalesce(
            base_row, transform_values(column_values, (name, write) -> write.value)
        )) over (
            partition by state_id, base_number
            order by position
        ) as images,
        base_position is not null and not is_base_live as is_deleted
    from numbered

),

rows_so_far as (

    select
        *,
        aggregate(
            images,
            cast(map() as map<string, string>),
            (row_so_far, image) -> map_concat(row_so_far, image)
        ) as row_so_far
    from composed

),

with_rows_before as (

    select
        *,
        lag(row_so_far) over (partition by state_id order by position) as row_before
    from rows_so_far

)

select
    source,
    database_name,
    schema_name,
    table_name,
    key,
    case
        when not is_deleted then row_so_far
        when size(row_before) > 0 then row_before
        else deleted_row
    end as row,
    is_deleted,
    end_position is null as is_current,
    change_id,
    event_at,
    event_at as valid_from,
    valid_to,
    position as log_position,
    end_position,
    value_encoding
from with_rows_before
