{#- True for MongoDB's events, unless another program has made a row of the document. -#}
{% macro debezium_is_document() -%}
    event.source.collection is not null and event.before is null and event.after is null
{%- endmacro %}
