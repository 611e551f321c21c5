{#-
  What orders a table's events: their place in the log; else the time, OMS's pos ("[binlog file
  name]@[binlog file name offset]", masked in the samples; a file counts by the number that its name
  ends with) and the place in the topic. Rows below every change are ordered by when they were read.
-#}
{% macro debezium_position() -%}
    case
        when is_backfill
            then array(
                {{ epoch_micros('source.ts_ms', "'magnitude'") | indent(16) }},
                {{ epoch_micros('ts_ms', "'magnitude'") | indent(16) }}
            )
        when coordinates is not null then coordinates
        else array(
            {{ epoch_micros('source.ts_ms', "'magnitude'") | indent(12) }},
            regexp_substr(split_part(source.pos, '@', 1), '(?<=^|[.])[0-9]+$'),
            {{ whole_number("split_part(source.pos, '@', 2)") }},
            cast(offset as string),
            cast(partition as string)
        )
    end
{%- endmacro %}
