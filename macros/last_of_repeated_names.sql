{#- A map as JSON means it: where an object repeats a name, the last value counts. -#}
{% macro last_of_repeated_names(image) -%}
    map_from_arrays(map_keys({{ image }}), map_values({{ image }}))
{%- endmacro %}
