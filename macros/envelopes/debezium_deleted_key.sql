{#-
  The row that a delete without an image names by its Kafka record's key. MongoDB's key is the JSON
  text of the document's _id; with a document's image, the landed line is in _corrupt_record.
-#}
{% macro debezium_deleted_key() -%}
    {%- set id = document_id("concat('{\"_id\":', " ~ kafka_key() ~ "['id'], '}')") -%}
    case
        when op is null or op <> 'd' or cardinality(before) > 0 or _corrupt_record is not null
            then null
        when not is_document then {{ kafka_key() | indent(8) }}
        when {{ id | indent(8) }} is not null then map('_id', {{ id | indent(8) }})
    end
{%- endmacro %}
