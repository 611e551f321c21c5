{#- The rank and the parts of a position, with the start of its line between where it has one. -#}
{% macro line_position(position) -%}
    if(
        line_start is null,
        {{ position }},
        concat(left({{ position }}, 2), line_start, substr({{ position }}, 2))
    )
{%- endmacro %}
