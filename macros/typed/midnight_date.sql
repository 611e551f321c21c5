{#- The date on which a moment is midnight in a zone; NULL for other times and unknown zones. -#}
{% macro midnight_date(moment, time_zone) -%}
    {%- set local = "from_utc_timestamp(" ~ moment ~ ", " ~ time_zone ~ ")" -%}
    case
        when try_cast(concat('2000-01-01 00:00:00 ', {{ time_zone }}) as timestamp) is null
            then null
        when unix_micros({{ local }}) % 86400000000 = 0 then cast({{ local }} as date)
    end
{%- endmacro %}
