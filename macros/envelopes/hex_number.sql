{#- The number of up to 16 hex digits, as decimal text; NULL for all other text. -#}
{% macro hex_number(field) -%}
    if({{ field }} rlike '^[0-9A-Fa-f]{1,16}$', conv({{ field }}, 16, 10), null)
{%- endmacro %}
