{#-
  The row that a Kafka record's key names, its columns by name; NULL where the key is no JSON
  object. Numbers get quotes first, as from_json would pass them through a double; Connect's
  converter may wrap the columns in {schema, payload}.
-#}
{% macro kafka_key() -%}
    {%- set outside_numbers = '((?:[^"0-9-]|"(?:[^"\\\\\\\\]|\\\\\\\\.)*+")*+)' -%}
    {%- set key -%}
        regexp_replace(message_key, '\\G{{ outside_numbers }}(-?[0-9][-+.eE0-9]*)', '$1"$2"')
    {%- endset -%}
    from_json(
        if(
            get_json_object({{ key }}, '$.schema.fields') is null,
            {{ key }},
            get_json_object({{ key }}, '$.payload')
        ),
        'map<string, string>'
    )
{%- endmacro %}
