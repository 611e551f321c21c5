{#- A time in ISO text or epoch ms as a part of a position: whole microseconds since 1970, as text. -#}
{% macro epoch_micros(field) -%}
    cast(unix_micros({{ utc_timestamp(field, "'iso'", "'UTC'") }}) as string)
{%- endmacro %}
