{#-
  A row image as one text for hashing: equal for equal images, whatever the columns' order. JSON
  keeps values apart that hold any character, and NULL from every text.
-#}
{% macro content_text(image) -%}
    to_json(sort_array(map_entries({{ image }}))),
    {{ image }} is null
{%- endmacro %}
