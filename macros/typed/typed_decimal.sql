{% macro typed_decimal(column, precision, scale) -%}
    {%- if precision > 38 or scale > precision -%}
        {%- do exceptions.raise_compiler_error(
            "onelog.typed_decimal(" ~ tojson(column) ~ ", " ~ precision ~ ", " ~ scale
            ~ "): Spark's decimals have 38 digits at most; typed_text keeps more"
        ) -%}
    {%- endif -%}
    {{ onelog.exact_decimal(onelog.row_text(column), precision, scale) }}
{%- endmacro %}
