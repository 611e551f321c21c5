{#- True for MongoDB's events, unless another program has made a row of the document. -#}
{% macro debezium_is_document() -%}
    source.collection is not null and before is null and after is null
{%- endmacro %}
