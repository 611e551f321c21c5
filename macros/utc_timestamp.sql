{#-
  A vendor's time as a UTC timestamp. 0 and -1 are "no time"; what is not a time is NULL.
  `magnitude`: an epoch number whose unit its size tells (up to 11 digits s, 14 ms, 17 us, else ns).
  Epoch numbers beyond the year 9999 are no times; the bound also keeps the arithmetic from
  overflowing. A text needs a full date: Spark would read a bare time as one of today.
-#}
{% macro utc_timestamp(value, unit, time_zone) -%}
    case
        when {{ unit }} = 'local'
            then if(
                {{ value }} like '%-%-%',
                to_utc_timestamp(try_cast({{ value }} as timestamp_ntz), {{ time_zone }}),
                null
            )
        when {{ unit }} = 'iso' and {{ value }} like '%-%-%'
            then try_cast({{ value }} as timestamp)
        else {{ epoch_timestamp('try_cast(' ~ value ~ ' as bigint)', unit) }}
    end
{%- endmacro %}
