{#- The number of a row among those of one event_id, in the order in which they landed. -#}
{% macro arrival() -%}
    row_number() over (
        partition by event_id
        order by batch, received_at, topic, partition, offset, row_index
    )
{%- endmacro %}
