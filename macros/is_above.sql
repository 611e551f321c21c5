{#-
  Whether a statement is above a row: by position in the row's own line, else by time. A backfilled
  row counts from the time at which it was read; without one, it is below every statement.
-#}
{% macro is_above(line, position, at, row) -%}
    if(
        {{ line }} = {{ row }}.line and not {{ row }}.is_backfill,
        {{ position }} > {{ row }}.log_position,
        coalesce(timestamp_micros({{ at }}) > {{ row }}.event_at, {{ row }}.is_backfill)
    )
{%- endmacro %}
