{#-
  The condition that a column has one of these values, numbers as ranges, by which Spark prunes;
  nothing for none.
-#}
{% macro listed(column, values) -%}
    {%- if values and values[0] is string -%}
        {%- set literals = [] -%}
        {%- for value in values | unique(true) -%}
            {%- do literals.append(text_literal(value)) -%}
        {%- endfor -%}
        {{ column }} in ({{ literals | join(', ') }})
    {%- else -%}
        {%- set ranges = modules.onelog.ranges(values) -%}
        {%- set alone = ranges | selectattr('is_one') | map(attribute='first') | list -%}
        {%- for range in ranges if not range.is_one -%}
            {{ column }} between {{ range.first }} and {{ range.last }}
            {{- ' or ' if alone or not loop.last }}
        {% endfor -%}
        {{ column ~ ' in (' ~ alone | join(', ') ~ ')' if alone }}
    {%- endif -%}
{%- endmacro %}
