{#-
  A local time's text as a UTC timestamp; a zone behind it wins over the given one. NULL for what
  is no time, an unknown zone, an hour that the zone skipped, and parts of a microsecond. A zone's
  name has visible characters of ASCII only: a cast takes one with a control character behind it,
  from_utc_timestamp would stop the run.
-#}
{% macro local_timestamp(text, time_zone) -%}
    {%- set minutes = "((?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2})" -%}
    {%- set shape = "'^" ~ minutes ~ "(:[0-9]{2}([.][0-9]{1,6}0*)?)? ?([A-Z+-][!-~]*)?\\\\z'" -%}
    {%- set local -%}
        concat(
            regexp_extract({{ text }}, {{ shape }}, 1),
            coalesce(nullif(regexp_extract({{ text }}, {{ shape }}, 2), ''), ':00')
        )
    {%- endset -%}
    {%- set zone -%}
        coalesce(nullif(regexp_extract({{ text }}, {{ shape }}, 4), ''), {{ time_zone }})
    {%- endset -%}
    {%- set moment = "try_cast(concat(" ~ local ~ ", ' ', " ~ zone ~ ") as timestamp)" -%}
    case
        when
            from_utc_timestamp({{ moment }}, {{ zone }}) = try_cast({{ local }} as timestamp)
            and year({{ moment }}) between 1 and 9999
            then {{ moment }}
    end
{%- endmacro %}
