{#- What a variant value is, in words; NULL for null and for what is not there. -#}
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
