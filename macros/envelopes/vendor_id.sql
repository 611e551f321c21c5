{#- A vendor's number or id as text; NULL for what vendors write where they have none. -#}
{% macro vendor_id(field) -%}
    if({{ field }} in ('', '-1', 'null'), null, {{ field }})
{%- endmacro %}
