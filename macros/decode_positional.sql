{#- A row image as a map: as sent, or from positional values by the table's column list. -#}
{% macro decode_positional(image, values) -%}
    case
        when {{ values }} is null then {{ image }}
        when size({{ values }}) = size(column_names)
            then map_from_arrays(column_names, {{ unquote_sql_literals(values) }})
    end
{%- endmacro %}
