{#-
  Where a row stands among all rows of its table, as a text that compares left to right: rank (0
  backfilled row, 1 row without a place in its source's log, 2 row that has one); the envelope's
  parts; kind (0 statement, 1 old key, 2 any other row); place in the topic. Backfilled rows
  are told apart by their content before that place.
-#}
{% macro log_position(kind) -%}
    concat_ws(
        ' ',
        case
            when is_backfill then '0'
            when is_placed then '2'
            else '1'
        end,
        if(
            line_start is not null,
            concat_ws(
                ' ',
                {{ position_count('line_start.offset') }},
                {{ position_count('line_start.partition') }}
            ),
            null
        ),
        position,
        if(is_backfill, {{ position_part('cast(content_hash as string)') }}, null),
        {{ kind }},
        {{ position_count('row_index') }},
        topic,
        {{ position_count('partition') }},
        {{ position_count('offset') }}
    )
{%- endmacro %}
