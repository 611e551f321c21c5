{#- A row image of DefaultExtendColumnType without the field that gives its columns' types. -#}
{% macro without_light_type(columns) -%}
    map_filter({{ columns }}, (name, value) -> name <> '__light_type')
{%- endmacro %}
