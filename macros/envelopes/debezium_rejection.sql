{#- Why the message cannot be read; a document may be a text where a row should be. -#}
{% macro debezium_rejection() -%}
    if(
        is_document and coalesce(sent_before, sent_after) is not null,
        null,
        {{ message_rejection() | indent(8) }}
    )
{%- endmacro %}
