{#- What must be known of a Debezium message before its columns can be read. -#}
{% macro debezium_facts(landed_path) -%}
    {{ debezium_encoding() }} as value_encoding,
    {{ debezium_is_read() }} as is_read,
    {{ debezium_is_document() }} as is_document,
    {{ debezium_coordinates() }} as coordinates,
    {{ debezium_is_backfill() }} as is_backfill,
    {{ debezium_image('before', landed_path) }} as sent_before,
    {{ debezium_image('after', landed_path) }} as sent_after,
    {{ debezium_deleted_key() }} as deleted_key
{%- endmacro %}
