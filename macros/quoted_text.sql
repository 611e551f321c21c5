{#- The text between a literal's quotes; doubled quotes become one. -#}
{% macro quoted_text(literal) -%}
    replace(
        substring({{ literal }}, 2, length({{ literal }}) - 2),
        repeat(left({{ literal }}, 1), 2),
        left({{ literal }}, 1)
    )
{%- endmacro %}
