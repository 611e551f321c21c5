{#- Whose encodings the values follow: OMS writes bytes in base16, Kafka Connect in base64. -#}
{% macro debezium_encoding() -%}
    if(
        source.name = 'OMS' or startswith(source.connector, 'OB_'),
        'oms_debezium',
        'kafka_connect'
    )
{%- endmacro %}
