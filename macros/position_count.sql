{#-
  As position_part, for a number that is never NULL or negative: fewer steps, and no text to read.
-#}
{% macro position_count(number) -%}
    concat(char(96 + length({{ number }})), {{ number }})
{%- endmacro %}
