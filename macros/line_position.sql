{#-
  A position with the start of its line between its rank and its parts, where its line has one.
-#}
{% macro line_position(position) -%}
    if(
        line_start is null,
        {{ position }},
        concat(left({{ position }}, 2), line_start, substr({{ position }}, 2))
    )
{%- endmacro %}
