{% macro typed_bigint(column) -%}
    try_cast({{ onelog.exact_decimal(onelog.row_text(column), 19, 0) }} as bigint)
{%- endmacro %}
