{#- A map as JSON means it: of a name that stands twice in an object, the last value counts. -#}
{% macro last_of_repeated_names(image) -%}
    map_from_arrays(map_keys({{ image }}), map_values({{ image }}))
{%- endmacro %}
