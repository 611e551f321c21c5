{#-
  A row image. MongoDB's is the text of a JSON document, which the reader does not take for a row:
  it is read out of the landed line. Debezium puts a placeholder (for bytes, in base64) where the
  log does not repeat a large value: such a column was not sent.
-#}
{% macro debezium_image(image, landed_path) -%}
    {%- set document = "get_json_object(_corrupt_record, '" ~ landed_path ~ "." ~ image ~ "')" -%}
    {%- set placeholders = [
        "'__debezium_unavailable_value'", "'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='"
    ] -%}
    case
        when is_document and {{ document_id(document) }} is null then null
        when is_document
            then map('_id', {{ document_id(document) | indent(12) }}, 'data', {{ document }})
        when
            array_contains(map_values({{ image }}), {{ placeholders[0] }})
            or array_contains(map_values({{ image }}), {{ placeholders[1] }})
            then map_filter(
                {{ image }},
                (name, value) -> coalesce(value not in ({{ placeholders | join(', ') }}), true)
            )
        else {{ sent_image(image) }}
    end
{%- endmacro %}
