{#- Any text as a SQL literal. `${` would be taken for one of Spark's own variables. -#}
{% macro text_literal(text) -%}
    '{{ onelog.spark__escape_single_quotes(text) | replace("${", "\\u0024{") }}'
{%- endmacro %}
