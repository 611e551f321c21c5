{#-
  A column's bytes by the encoding of its row, as they were sent. TDSQL: MySQL's literals, whose
  quotes are gone. Alibaba's own Canal: each byte is the character of its number. Datastream: hex of
  MySQL, Oracle and SQL Server, base64 of PostgreSQL; a short text that may be either is NULL. By
  chance, 16 characters of base64 are all hex digits once in 25 million.
-#}
{% macro column_bytes(column, length=none) -%}
    {%- set text = onelog.row_text(column) -%}
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
            then decode_base16({{ text }})
        when value_encoding = 'tdsql'
            then case
                when {{ text }} rlike '^(0x[0-9a-fA-F]+|[xX]\'[0-9a-fA-F]*\')$'
                    then decode_base16(regexp_replace({{ text }}, '^0x|^[xX]\'|\'$', ''))
                else cast({{ text }} as binary)
            end
        when value_encoding = 'canal'
            then if({{ text }} rlike '^[\\x00-\\xff]*\\z', encode({{ text }}, 'ISO-8859-1'), null)
        else decode_base64({{ text }})
    end
{%- endmacro %}
