{#- True for a row of a snapshot, which some connectors write as `c`. -#}
{% macro debezium_is_read() -%}
    coalesce(
        event.op = 'r' or (event.op = 'c' and event.source.snapshot not in ('', 'false')), false
    )
{%- endmacro %}
