{#-
  The identity of a message's row: equal for a row and its repeats, different for all else. Rows
  without a vendor's id are told apart by their place.
-#}
{% macro event_id() -%}
    md5(concat_ws(
        chr(1),
        if(
            unique_id is null,
            array(topic, partition, offset, row_index),
            array(
                source,
                coalesce(database_name, ''),
                coalesce(schema_name, ''),
                coalesce(table_name, ''),
                unique_id,
                content_hash
            )
        )
    ))
{%- endmacro %}
