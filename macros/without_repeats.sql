{#- Leaves the messages out that bring what an earlier one had brought. -#}
{% macro without_repeats(events) -%}
    left anti join {{ ref('repeats') }} as repeats
        on
            {{ events }}.batch = repeats.batch
            and {{ events }}.topic = repeats.topic
            and {{ events }}.partition = repeats.partition
            and {{ events }}.offset = repeats.offset
            and {{ events }}.row_index = repeats.row_index
{%- endmacro %}
