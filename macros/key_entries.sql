{#- The key columns that an image has, with their values: array of (key, value) in key order. -#}
{% macro key_entries(image) -%}
    transform(
        filter(table_key_columns, name -> array_contains(map_keys({{ image }}), name)),
        name -> struct(name as key, {{ image }}[name] as value)
    )
{%- endmacro %}
