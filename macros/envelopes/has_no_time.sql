{#-
  True where OMS sends no time. "The timestamp … for data modification, which is available only for
  incremental synchronization": an insert without one comes from the full synchronization.
-#}
{% macro has_no_time(field) -%}
    coalesce({{ field }} in ('', '0', 'null'), true)
{%- endmacro %}
