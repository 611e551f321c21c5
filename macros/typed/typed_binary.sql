{#- Bytes; with a length, zero bytes that were cut are put back, and longer values are NULL. -#}
{% macro typed_binary(column, length=none) -%}
    {%- set bytes = onelog.column_bytes(column, length) -%}
    {%- if length is none -%}
    {{ bytes }}
    {%- else -%}
    case when octet_length({{ bytes }}) <= {{ length }} then {{ bytes }} end
    {%- endif -%}
{%- endmacro %}
