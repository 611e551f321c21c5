{% macro typed_text(column) -%}
    {{ row_text(column) }}
{%- endmacro %}
