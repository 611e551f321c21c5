{#- A time in ISO text or epoch ms as a part of a position: microseconds since 1970, as text. -#}
{% macro epoch_micros(field, unit="'iso'") -%}
    cast(unix_micros({{ utc_timestamp(field, unit, "'UTC'") }}) as string)
{%- endmacro %}
