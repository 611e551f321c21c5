{#- A row image as one text for hashing: equal for equal images, whatever the order of the columns. -#}
{% macro content_text(image) -%}
    array_join(sort_array(map_entries({{ image }})).key, chr(1)),
    array_join(sort_array(map_entries({{ image }})).value, chr(1), chr(0)),
    {{ image }} is null
{%- endmacro %}
