{#- dbt-spark escapes quotes only, which loses the backslashes of unit test fixtures. -#}
{% macro spark__escape_single_quotes(expression) -%}
    {{ expression | replace('\\', '\\\\') | replace("'", "\\'") }}
{%- endmacro %}
