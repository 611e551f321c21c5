{#-
  A column's bytes by the encoding of its row. TDSQL: MySQL's literals, whose quotes are gone.
  Alibaba's own Canal: each byte is the character of its number.
-#}
{% macro column_bytes(column, length=none) -%}
    {%- set text = row_text(column) -%}
    {%- set padded = ", " ~ length if length is not none else "" -%}
    case
        when value_encoding = 'oms_debezium' then decode_base16({{ text }}{{ padded }})
        when value_encoding = 'tdsql'
            then case
                when {{ text }} rlike '^(0x[0-9a-fA-F]+|[xX]\'[0-9a-fA-F]*\')$'
                    then decode_base16(
                        regexp_replace({{ text }}, '^0x|^[xX]\'|\'$', ''){{ padded }}
                    )
                else cast({{ text }} as binary)
            end
        when value_encoding = 'canal'
            then if({{ text }} rlike '^[\\x00-\\xff]*$', encode({{ text }}, 'ISO-8859-1'), null)
        else decode_base64({{ text }}{{ padded }})
    end
{%- endmacro %}
