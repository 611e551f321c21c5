{#- A map as JSON means it: of a name that stands twice in an object, the last value counts. -#}
{% macro last_of_repeated_names(image) -%}
    if(
        size(array_distinct(map_keys({{ image }}))) < size({{ image }}),
        map_from_entries(map_entries({{ image }})),
        {{ image }}
    )
{%- endmacro %}
