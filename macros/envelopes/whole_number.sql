{#- Text of a whole number of any length as it is; NULL for all other text. -#}
{% macro whole_number(field) -%}
    if({{ field }} rlike '^[+-]?[0-9]+$', {{ field }}, null)
{%- endmacro %}
