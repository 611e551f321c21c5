{#-
  A time as a part of a position: microseconds since 1970, as text. `unit`: SQL of the unit of the
  field, as utc_timestamp takes it.
-#}
{% macro epoch_micros(field, unit="'iso'") -%}
    cast(unix_micros({{ utc_timestamp(field, unit, "'UTC'") }}) as string)
{%- endmacro %}
