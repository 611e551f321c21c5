{#-
  What orders a table's rows: their sequence, else their time and their place in the topic.
  Backfilled rows are ordered by the time of the source and the time at which they were read.
-#}
{% macro datahub_position(event_time, read_time='null') -%}
    case
        when is_backfill
            then array(
                {{ epoch_micros(event_time, "'ms'") | indent(16) }},
                {{ epoch_micros(read_time, "'ms'") | indent(16) }}
            )
        when {{ whole_number('sequence_id') }} is not null
            then array({{ whole_number('sequence_id') }})
        else array(
            {{ epoch_micros(event_time, "'ms'") | indent(12) }},
            cast(offset as string),
            cast(partition as string)
        )
    end
{%- endmacro %}
