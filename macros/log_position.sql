{#-
  Where a row stands among all rows of its table, as a text that compares left to right: backfill
  rank; the envelope's parts; kind (0 statement, 1 delete, 2 image); place. Backfilled rows without
  a place in the log are told apart by their content before their place.
-#}
{% macro log_position(kind) -%}
    concat_ws(
        ' ',
        if(is_backfill, '0', '1'),
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
