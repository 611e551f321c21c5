{% macro typed_boolean(column) -%}
    {%- set text = onelog.row_text(column) -%}
    case
        when lower({{ text }}) in ('true', '1') then true
        when lower({{ text }}) in ('false', '0') then false
    end
{%- endmacro %}
