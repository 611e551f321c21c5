{#-
  A row's columns as they tell it from other rows. OMS cuts the leading zero bytes of fixed-length
  types in some messages and not in others. Where the message declares such a type, its bytes count
  in hex, without leading zeros.
-#}
{% macro identifying_texts(columns) -%}
    {%- set is_cut = "rlike '(?im)^(binary|bit)([^a-z_]|$)'" -%}
    if(
        value_encoding = 'oms' and array_join(map_values(column_types), '\n') {{ is_cut }},
        transform_values(
            {{ columns }},
            (name, value) -> if(
                column_types[name] {{ is_cut }},
                coalesce(
                    regexp_replace(hex(try_to_binary(value, 'base64')), '^(00)+', ''), value
                ),
                value
            )
        ),
        {{ columns }}
    )
{%- endmacro %}
