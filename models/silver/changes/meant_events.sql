-- One row per placed event, with what its table's name means at its position: the table, its key
-- and, for positional rows, its columns. Most names mean one thing throughout (`is_plain`).

with events as (

    select * from {{ ref('placed_events') }}

),

{% call part('plain') %}
plain as (

    select
        *,
        cast(null as array<string>) as column_names,
        {{ few_key_entries('coalesce(
            if(is_partial, map_concat(before, after), null), after, before
        )') | indent(8) }} as key_entries,
        {{ few_key_entries('before') | indent(8) }} as before_key_entries
    from events
    where is_plain

),
{% endcall %}

{% call part('unusual') %}
-- The last span below a row, in the row's own line, says what the name means. Where that line has
-- no span of this name, the last one in time does.
dated as (

    select
        *,
        try_element_at(
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
        ) as span
    from events
    where not is_plain

),

joined as (

    select
        * except (span, table_id, table_key_columns),
        span.table_id,
        span.key_columns as table_key_columns,
        span.column_names
    from dated

),

decoded as (

    select
        * except (before, after, column_names),
        {{ decode_positional('before', 'before_values') }} as before,
        {{ decode_positional('after', 'after_values') }} as after,
        column_names
    from joined

),

unusual as (

    select
        *,
        {{ key_entries('coalesce(
            if(is_partial, map_concat(before, after), null), after, before
        )') | indent(8) }} as key_entries,
        {{ key_entries('before') | indent(8) }} as before_key_entries
    from decoded

),
{% endcall %}

{%- set meanings = [
    'before',
    'after',
    'table_id',
    'table_key_columns',
    'column_names',
    'key_entries',
    'before_key_entries',
] | join(', ') %}

meant as (

    {% call part('plain') %}
    select
        * except ({{ meanings }}),
        {{ meanings }}
    from plain
    {% endcall %}
    {% call part('plain & unusual') %} union all {% endcall %}
    {% call part('unusual') %}
    select
        * except ({{ meanings }}),
        {{ meanings }}
    from unusual
    {% endcall %}

)

select * from meant
