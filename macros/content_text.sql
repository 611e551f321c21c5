{#- A row image as texts for hashing: equal for equal images, whatever the columns' order. -#}
{% macro content_text(image) -%}
    array_join(sort_array(map_entries({{ image }})).key, chr(1)),
    array_join(sort_array(map_entries({{ image }})).value, chr(1), chr(0)),
    {{ image }} is null
{%- endmacro %}
