-- One row per placed event, with what its table's name means at its position: the table, its key
-- and, for positional rows, its columns. Most names mean one thing throughout (`is_plain`).

{%- set new_image = 'coalesce(if(is_partial, map_concat(before, after), null), after, before)' %}

-- The last span below a row, in the row's own line, says what the name means. Where that line has
-- no span of this name, the last one in time does.
with dated as (

    select
        events.* except (table_id, table_key_columns),
        if(is_plain, null, try_element_at(
            filter(
                spans,
                span -> span.line <=> if(
                    exists(spans, other -> other.line = events.line),
                    events.line,
                    null
                )
                and (
                    (span.from_position is null and span.from_at is null)
                    or not {{ is_above(
                        'span.line', 'span.from_position', 'span.from_at', 'events'
                    ) | indent(20) }}
                )
            ),
            -1
        )) as span,
        if(is_plain, events.table_id, span.table_id) as table_id,
        if(is_plain, events.table_key_columns, span.key_columns) as table_key_columns,
        span.column_names
    from {{ ref('placed_events') }} as events

),

decoded as (

    select
        * except (before, after),
        {{ decode_positional('before', 'before_values') | indent(8) }} as before,
        {{ decode_positional('after', 'after_values') | indent(8) }} as after
    from dated

)

select
    *,
    if(
        is_plain,
        {{ few_key_entries(new_image) | indent(8) }},
        {{ key_entries(new_image) | indent(8) }}
    ) as key_entries,
    if(
        is_plain,
        {{ few_key_entries('before') | indent(8) }},
        {{ key_entries('before') | indent(8) }}
    ) as before_key_entries
from decoded
