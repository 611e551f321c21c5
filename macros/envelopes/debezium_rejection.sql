{#- Why the message cannot be read; a document's text in place of a row is no other type than it should. -#}
{% macro debezium_rejection() -%}
    if(
        is_document and coalesce(sent_before, sent_after) is not null,
        null,
        {{ message_rejection() | indent(8) }}
    )
{%- endmacro %}
