{#- As position_part, of a number that is never NULL or negative: no text, and fewer steps. -#}
{% macro position_count(number) -%}
    concat(char(96 + length({{ number }})), {{ number }})
{%- endmacro %}
