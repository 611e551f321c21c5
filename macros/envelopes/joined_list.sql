{#- OMS: "If the primary key has multiple columns. Separate the column names with \u0001." -#}
{% macro joined_list(field) -%}
    split(nullif({{ field }}, ''), '\u0001')
{%- endmacro %}
