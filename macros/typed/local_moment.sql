{#-
  What a clock of a zone shows, kept as if it were UTC, as the moment it is. NULL for an unknown
  zone (Spark would stop the run) and for an hour that the zone skipped.
-#}
{% macro local_moment(clock, time_zone) -%}
    {%- set moment = "to_utc_timestamp(" ~ clock ~ ", " ~ time_zone ~ ")" -%}
    case
        when try_cast(concat('2000-01-01 00:00:00 ', {{ time_zone }}) as timestamp) is null
            then null
        when from_utc_timestamp({{ moment }}, {{ time_zone }}) = {{ clock }} then {{ moment }}
    end
{%- endmacro %}
