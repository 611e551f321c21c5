{% macro typed_int(column) -%}
    try_cast({{ onelog.exact_decimal(onelog.row_text(column), 10, 0) }} as int)
{%- endmacro %}
