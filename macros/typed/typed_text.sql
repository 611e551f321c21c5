{% macro typed_text(column) -%}
    {{ onelog.row_text(column) }}
{%- endmacro %}
