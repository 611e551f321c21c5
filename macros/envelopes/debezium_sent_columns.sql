{#-
  A row image without the columns that were not sent: Debezium puts a placeholder where the log does
  not repeat a large value (text, bytes in base64, hstore, and lists of texts, UUIDs or numbers).
-#}
{% macro debezium_sent_columns(image) -%}
    {%- set text = '__debezium_unavailable_value' -%}
    {%- set placeholders = [
        "'" ~ text ~ "'",
        "'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='",
        "'{\"" ~ text ~ "\":\"" ~ text ~ "\"}'",
        "'[\"" ~ text ~ "\"]'",
        "'[\"b68a35a7-17ad-35b3-af2a-ae46edb4545a\"]'",
        "'[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,"
        ~ "118,97,108,117,101]'"
    ] -%}
    if(
        arrays_overlap(map_values({{ image }}), array({{ placeholders | join(', ') }})),
        map_filter(
            {{ last_of_repeated_names(image) | indent(12) }},
            (name, value) -> coalesce(value not in ({{ placeholders | join(', ') }}), true)
        ),
        {{ sent_image(image) | indent(8) }}
    )
{%- endmacro %}
