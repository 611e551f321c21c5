{#-
  A row image as one text for hashing: equal for equal images, whatever the order of the columns.
  JSON tells values apart whatever characters they hold, and NULL from every text.
-#}
{% macro content_text(image) -%}
    to_json(sort_array(map_entries({{ image }}))),
    {{ image }} is null
{%- endmacro %}
