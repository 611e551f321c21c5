{#-
  A column's bytes by the encoding of its row. TDSQL: MySQL's literals, whose quotes are gone.
  Alibaba's own Canal: each byte is the character of its number. Maxwell: base64 without the zero
  bytes at the end, which MySQL's log cuts from BINARY. Datastream: hex of MySQL, Oracle
  and SQL Server, base64 of PostgreSQL; a short text that may be either is NULL. By chance, 16
  characters of base64 are all hex digits once in 25 million.
-#}
{% macro column_bytes(column, length=none) -%}
    {%- set text = onelog.row_text(column) -%}
    {%- set padded = ", " ~ length if length is not none else "" -%}
    {#- The greatest number of characters whose base64 is not too many bytes. -#}
    {%- set short = 4 * ([3, length // 3] | min) if length is not none else 12 -%}
    case
        when
            value_encoding = 'datastream'
            and {{ text }} rlike '^([0-9a-fA-F]{4})+$'
            and length({{ text }}) <= {{ short }}
            then null
        when
            value_encoding = 'oms_debezium'
            or (value_encoding = 'datastream' and {{ text }} rlike '^([0-9a-fA-F]{2})+$')
            then decode_base16({{ text }}{{ padded }})
        when value_encoding = 'tdsql'
            then case
                when {{ text }} rlike '^(0x[0-9a-fA-F]+|[xX]\'[0-9a-fA-F]*\')$'
                    then decode_base16(
                        regexp_replace({{ text }}, '^0x|^[xX]\'|\'$', ''){{ padded }}
                    )
                else cast({{ text }} as binary)
            end
        when value_encoding = 'canal'
            then if({{ text }} rlike '^[\\x00-\\xff]*\\z', encode({{ text }}, 'ISO-8859-1'), null)
        {%- if length is not none %}
        when value_encoding = 'maxwell'
            then rpad(
                decode_base64({{ text }}),
                greatest({{ length }}, octet_length(decode_base64({{ text }}))),
                x'00'
            )
        {%- endif %}
        else decode_base64({{ text }}{{ padded }})
    end
{%- endmacro %}
