{#- Microseconds, a decimal, as `[-]HH:mm:ss[.n]`; NULL beyond MySQL's 838:59:59. -#}
{% macro clock_text(micros) -%}
    case
        when {{ micros }} % 1 = 0 and abs({{ micros }}) < 3020400000000
            then regexp_replace(
                format_string(
                    '%s%02d:%02d:%02d.%06d',
                    if({{ micros }} < 0, '-', ''),
                    abs(cast({{ micros }} as bigint)) div 3600000000,
                    abs(cast({{ micros }} as bigint)) div 60000000 % 60,
                    abs(cast({{ micros }} as bigint)) div 1000000 % 60,
                    abs(cast({{ micros }} as bigint)) % 1000000
                ),
                '\\.?0*$',
                ''
            )
    end
{%- endmacro %}
