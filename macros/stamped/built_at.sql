{#- The time of the run, a value that all rows of the run carry: greater than any run's before. -#}
{% macro built_at() -%}
    timestamp_micros({{ modules.onelog.run(invocation_id).get('built_at', 0) }})
{%- endmacro %}
