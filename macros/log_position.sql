{#-
  A row's position among all rows of its table, as a text that compares left to right: rank (0
  backfill, 1 without a place in the log, 2 with one); the start of its line where lines are
  ordered; the envelope's parts; kind (0 statement, 1 delete of an old key, 2 any other change);
  place. Backfilled rows are ordered by their content before their place.
-#}
{% macro log_position(kind) -%}
    concat_ws(
        ' ',
        {{ line_position('position') }},
        if(is_backfill, {{ position_part('cast(content_hash as string)') }}, null),
        {{ kind }},
        {{ position_count('row_index') }},
        topic,
        {{ position_count('partition') }},
        {{ position_count('offset') }}
    )
{%- endmacro %}
