{% macro typed_decimal(column, precision, scale) -%}
    {%- if precision > 38 or scale > precision -%}
        {%- do exceptions.raise_compiler_error(
            "onelog.typed_decimal(" ~ tojson(column) ~ ", " ~ precision ~ ", " ~ scale
            ~ "): Spark's decimals have at most 38 digits, and no more than these behind the point;"
            ~ " typed_text keeps any"
        ) -%}
    {%- endif -%}
    {{ onelog.exact_decimal(onelog.row_text(column), precision, scale) }}
{%- endmacro %}
