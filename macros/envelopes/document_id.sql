{#- The text of the _id of a JSON document; a number's digits stay as they are. -#}
{% macro document_id(document) -%}
    coalesce(
        nullif(
            regexp_extract(
                {{ document }}, '^\\s*[{]\\s*"_id"\\s*:\\s*(-?[0-9][-+.eE0-9]*)\\s*[,}]', 1
            ),
            ''
        ),
        get_json_object({{ document }}, '$._id')
    )
{%- endmacro %}
