{% macro typed_bigint(column) -%}
    try_cast({{ exact_decimal(row_text(column), 19, 0) }} as bigint)
{%- endmacro %}
