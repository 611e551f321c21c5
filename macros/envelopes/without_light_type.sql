{#- A row image of DefaultExtendColumnType without the field among its columns that gives their types. -#}
{% macro without_light_type(columns) -%}
    map_filter({{ columns }}, (name, value) -> name <> '__light_type')
{%- endmacro %}
