{#- Why the message cannot be read; the text of a document may stand where a row should. -#}
{% macro debezium_rejection() -%}
    if(
        is_document and coalesce(sent_before, sent_after) is not null,
        null,
        {{ message_rejection() | indent(8) }}
    )
{%- endmacro %}
