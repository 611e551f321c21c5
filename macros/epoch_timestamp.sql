{#-
  An epoch number as a UTC timestamp. 0 and -1 are no time, nor is a year outside 2 to 9998. Where
  `unit` is a literal, the text has no branches of other units.
-#}
{% macro epoch_timestamp(number, unit) -%}
    {%- set literal = unit[1:-1] if unit.startswith("'") else none -%}
    timestamp_micros(
        case
            when {{ number }} in (0, -1) then null
            {%- for names, digits, second in [
                ("'s'", 11, 1), ("'ms', 'iso'", 14, 1000), ("'us'", 17, 1000000)
            ] if literal in (none, 'magnitude') or literal in names %}
            {%- set at_most = 10 ** digits - 1 %}
            {%- set has_magnitude = number ~ ' between -' ~ at_most ~ ' and ' ~ at_most %}
            {%- set of_unit = unit ~ ' in (' ~ names ~ ') or (' ~ unit ~ " = 'magnitude' and "
                ~ has_magnitude ~ ')' %}
            when {{ {none: of_unit, 'magnitude': has_magnitude}.get(literal, 'true') }}
                then if(
                    {{ number }} between {{ -62104060800 * second }}
                    and {{ 253370764800 * second - 1 }},
                    {{ number }} * {{ 1000000 // second }},
                    null
                )
            {%- endfor %}
            {%- if literal in (none, 'magnitude') %}
            else {{ number }} div 1000
            {%- endif %}
        end
    )
{%- endmacro %}
