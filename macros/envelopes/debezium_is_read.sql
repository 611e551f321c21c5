{#- True for a row of a snapshot, which some connectors write as `c`. -#}
{% macro debezium_is_read() -%}
    coalesce(op = 'r' or (op = 'c' and source.snapshot not in ('', 'false')), false)
{%- endmacro %}
