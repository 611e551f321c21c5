{#-
  True for a row that counts below every change: a row of a snapshot that does not say where in the
  log it was taken, or of OMS's full synchronization, which sends `c` without a time.
-#}
{% macro debezium_is_backfill() -%}
    (is_read and coordinates is null)
    or coalesce(
        value_encoding = 'oms_debezium'
        and op = 'c'
        and {{ has_no_time('source.ts_ms') }},
        false
    )
{%- endmacro %}
