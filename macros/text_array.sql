{#- A list of texts as an SQL array. -#}
{% macro text_array(texts) -%}
    cast(array(
        {%- for text in texts %}{{ text_literal(text) }}{{ ', ' if not loop.last }}{% endfor -%}
    ) as array<string>)
{%- endmacro %}
