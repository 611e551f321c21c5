{#- The time of the run, which all its rows carry: greater than the time of any earlier run. -#}
{% macro built_at() -%}
    timestamp_micros({{ modules.onelog.run(invocation_id).get('built_at', 0) if execute else 0 }})
{%- endmacro %}
