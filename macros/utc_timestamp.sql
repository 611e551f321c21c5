{#-
  A vendor's time as a UTC timestamp. 0 and -1 are "no time"; what is not a time is NULL.
  `magnitude`: an epoch number whose unit its size tells (up to 11 digits s, 14 ms, 17 us, else ns).
  Epoch numbers beyond the year 9999 are no times; the bound also keeps the arithmetic from
  overflowing. A text needs a full date: Spark would read a bare time as one of today.
-#}
{% macro utc_timestamp(value, unit, time_zone) -%}
    case
        when {{ unit }} = 'local'
            -- Read with its zone as one text: an unknown zone gives NULL, and stops no run.
            then if(
                {{ value }} like '%-%-%',
                try_cast(concat({{ value }}, ' ', {{ time_zone }}) as timestamp),
                null
            )
        when {{ unit }} = 'iso' and {{ value }} like '%-%-%'
            then try_cast({{ value }} as timestamp)
        else {{ epoch_timestamp('try_cast(' ~ value ~ ' as bigint)', unit) }}
    end
{%- endmacro %}
