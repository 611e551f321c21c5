{#- Types by column out of an array of (name, type). -#}
{% macro declared_types(columns) -%}
    map_from_entries(filter({{ columns }}, declared -> declared.name is not null))
{%- endmacro %}
