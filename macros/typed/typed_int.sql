{% macro typed_int(column) -%}
    try_cast({{ exact_decimal(row_text(column), 10, 0) }} as int)
{%- endmacro %}
