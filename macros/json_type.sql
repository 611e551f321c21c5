{#- The type of a variant value, in words; NULL for a JSON null and for a missing value. -#}
{% macro json_type(value) -%}
    map(
        'OBJECT', 'an object',
        'ARRAY', 'an array',
        'STRING', 'a string',
        'BOOLEAN', 'a boolean',
        'BIGINT', 'a number',
        'DECIMAL', 'a number',
        'DOUBLE', 'a number'
    )[regexp_extract(schema_of_variant({{ value }}), '^[A-Z]+', 0)]
{%- endmacro %}
