{% macro epoch_timestamp(number, unit) -%}
    case
        when {{ number }} in (0, -1) then null
        else timestamp_micros(
            case
                when
                    {{ unit }} = 's'
                    or ({{ unit }} = 'magnitude' and abs({{ number }}) < 100000000000)
                    then if(abs({{ number }}) < 253402300800, {{ number }} * 1000000, null)
                when
                    {{ unit }} in ('ms', 'iso')
                    or ({{ unit }} = 'magnitude' and abs({{ number }}) < 100000000000000)
                    then if(abs({{ number }}) < 253402300800000, {{ number }} * 1000, null)
                when
                    {{ unit }} = 'us'
                    or ({{ unit }} = 'magnitude' and abs({{ number }}) < 100000000000000000)
                    then if(abs({{ number }}) < 253402300800000000, {{ number }}, null)
                else {{ number }} div 1000
            end
        )
    end
{%- endmacro %}
