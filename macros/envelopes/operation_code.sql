{#- The vendor's word for what happened; a record without a value (Kafka) has none of its own. -#}
{% macro operation_code(field) -%}
    if(message is null and raw is null, 'tombstone', {{ field }})
{%- endmacro %}
