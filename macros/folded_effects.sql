{#-
  The fold, as the CTEs up to `folded`: of all effects of a row, in whatever order they came, the
  last one (`last`, with the columns `about_last`), the greatest base (`base`), the columns that
  partial images set above the base (`column_values`), and the number of copies. It is no model:
  between the two halves of resolve.row_states, which reads its own table, dbt can put none.
-#}
{% macro folded_effects(effects, about_last) -%}
-- The greatest positions of each state come first: of most effects of a long log nothing else is
-- looked at.
placed as (

    select
        *,
        max(log_position) over (partition by state_id) as greatest_position,
        max(base_position) over (partition by state_id) as greatest_base_position,
        sum(copies) over (partition by state_id) as sum_of_copies
    from {{ effects }}

),

uncovered as (

    select
        * except (column_values),
        -- A row that its table lacked when it was folded anew has a state with 0 copies and no
        -- position. That state is not the last effect while other effects count copies.
        log_position <=> greatest_position
        and not (greatest_position is null and copies <=> 0 and sum_of_copies <> 0) as is_last,
        -- Without a key there is no base to compare with.
        (base_position is not null or (row_image is not null and not sets_columns))
        and base_position <=> greatest_base_position as is_base,
        map_filter(
            if(
                sets_columns,
                transform_values(
                    row_image, (name, value) -> struct(log_position as position, value)
                ),
                column_values
            ),
            (name, write) -> write.position > coalesce(greatest_base_position, '')
        ) as column_values
    from placed

),

-- One row for each effect that counts, or one for each column that a partial image sets.
spread as (

    select
        uncovered.state_id,
        written.column_name,
        written.write,
        if(
            uncovered.is_last,
            struct(uncovered.{{ about_last | join(', uncovered.') }}),
            null
        ) as last,
        if(
            uncovered.is_base,
            struct(
                uncovered.base_position,
                uncovered.is_base_live,
                uncovered.row_image as base_row,
                -- Rows without a key that are equal may be written otherwise: one is shown.
                if(uncovered.base_position is null, to_json(uncovered.row_image), '') as text
            ),
            null
        ) as base,
        uncovered.sum_of_copies as copies
    from uncovered
        lateral view outer explode(uncovered.column_values) written as column_name, write
    where
        uncovered.is_last
        or uncovered.is_base
        or size(uncovered.column_values) > 0

),

last_writes as (

    select
        state_id,
        column_name,
        max_by(write, write.position) as write,
        any_value(last, true) as last,
        max_by(base, base.text) as base,
        max(copies) as copies
    from spread
    group by
        state_id,
        column_name

),

folded as (

    select
        state_id,
        any_value(last, true) as last,
        max_by(base, base.text) as base,
        max(copies) as copies,
        map_from_entries(
            collect_list(struct(column_name, write)) filter (where column_name is not null)
        ) as column_values
    from last_writes
    group by state_id

)
{%- endmacro %}
