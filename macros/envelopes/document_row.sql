{#- The row of a JSON document: its id, and its text as sent; NULL where it has no id. -#}
{% macro document_row(document) -%}
    if(
        {{ document_id(document) }} is not null,
        map('_id', {{ document_id(document) }}, 'data', {{ document }}),
        null
    )
{%- endmacro %}
