{#- The reason of a message that Spark could not read as declared; quarantine looks closer. -#}
{% macro wrong_type() -%}
    'a field of the envelope has another type than it should'
{%- endmacro %}
