{#-
  Whether a statement stands above a row: by position in the row's own line, else by time.
  Backfilled rows stand where they were read; where that is not known, below every statement.
-#}
{% macro is_above(line, position, at, row) -%}
    if(
        {{ line }} = {{ row }}.line and not {{ row }}.is_backfill,
        {{ position }} > {{ row }}.log_position,
        coalesce(timestamp_micros({{ at }}) > {{ row }}.event_at, {{ row }}.is_backfill)
    )
{%- endmacro %}
