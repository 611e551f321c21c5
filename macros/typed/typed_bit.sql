{#-
  BIT(n) as its bytes, zero bytes in front: bytes in the row's encoding, a number (OMS before
  3.3.0), MySQL's b'…', true or false. In OMS and Debezium, digits that are both a number and base64
  are NULL, and `true` that may be base64 is. Debezium's bytes begin with the lowest bits.
-#}
{% macro typed_bit(column, bits) -%}
    {%- set text, length = onelog.row_text(column), (bits + 7) // 8 -%}
    {%- set own = onelog.column_bytes(column, length) | indent(8) -%}
    {%- set bytes = "decode_base64(" ~ text ~ ")" -%}
    {%- set backwards = "encode(reverse(decode(" ~ bytes ~ ", 'ISO-8859-1')), 'ISO-8859-1')" -%}
    {%- set padded = "lpad(" ~ backwards ~ ", " ~ length ~ ", x'00')" -%}
    case
        when value_encoding <> 'oms_debezium' and {{ text }} rlike '^[0-9]{1,20}$'
            then if(
                cast({{ text }} as decimal(20, 0)) < {{ 2 ** bits }}
                and not (
                    value_encoding in ('oms', 'kafka_connect')
                    and coalesce(octet_length({{ bytes }}) <= {{ length }}, false)
                ),
                unhex(lpad(conv({{ text }}, 10, 16), {{ 2 * length }}, '0')),
                null
            )
        when {{ text }} rlike '^b\'[01]{1,{{ bits }}}\'$'
            then unhex(lpad(conv(substr({{ text }}, 3), 2, 16), {{ 2 * length }}, '0'))
        when
            lower({{ text }}) in ('true', 'false')
            and not (
                value_encoding in ('oms', 'kafka_connect')
                and coalesce(octet_length({{ bytes }}) <= {{ length }}, false)
            )
            then unhex(lpad(if(lower({{ text }}) = 'true', '1', '0'), {{ 2 * length }}, '0'))
        when value_encoding = 'kafka_connect'
            then if(octet_length({{ bytes }}) <= {{ length }}, {{ padded }}, null)
        when octet_length({{ own }}) <= {{ length }} then lpad({{ own }}, {{ length }}, x'00')
    end
{%- endmacro %}
