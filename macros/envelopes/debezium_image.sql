{#-
  A row image. MongoDB's is the text of a JSON document, which the reader does not take for a row:
  it is read out of the landed line.
-#}
{% macro debezium_image(image, landed_path) -%}
    {%- set document = "get_json_object(_corrupt_record, '" ~ landed_path ~ "." ~ image ~ "')" -%}
    case
        when is_document and {{ document_id(document) }} is null then null
        when is_document
            then map('_id', {{ document_id(document) | indent(12) }}, 'data', {{ document }})
        else {{ debezium_sent_columns(image) | indent(8) }}
    end
{%- endmacro %}
