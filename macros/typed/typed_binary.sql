{#-
  Bytes; with a length, zero bytes that were cut are put back, and longer values are NULL. OMS: "the
  zeros in the most significant bits are removed". MySQL's log cuts those at the end of a BINARY,
  and others pass on what it has.
-#}
{% macro typed_binary(column, length=none) -%}
    {%- set bytes = onelog.column_bytes(column, length) -%}
    {%- if length is none -%}
    {{ bytes }}
    {%- else -%}
    case
        when octet_length({{ bytes }}) <= {{ length }}
            then if(
                value_encoding in ('oms', 'oms_debezium'),
                lpad({{ bytes }}, {{ length }}, x'00'),
                rpad({{ bytes }}, {{ length }}, x'00')
            )
    end
    {%- endif -%}
{%- endmacro %}
