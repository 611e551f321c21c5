{#- A row image; NULL where the vendor sends an empty object for "no such image". -#}
{% macro sent_image(columns) -%}
    if(cardinality({{ columns }}) > 0, {{ columns }}, null)
{%- endmacro %}
