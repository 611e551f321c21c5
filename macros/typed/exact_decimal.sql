{#-
  A number's text as decimal(precision, scale); NULL where that would round it, cut it or overflow.
  A text in scientific notation has as many digits behind the point as its fraction without the
  zeros at its end, less the zeros at the end of a whole number, less the exponent.
-#}
{% macro exact_decimal(text, precision, scale) -%}
    case
        when {{ text }} rlike '^[+-]?[0-9]*(\\.[0-9]{0,{{ scale }}}0*)?$'
            then try_cast({{ text }} as decimal({{ precision }}, {{ scale }}))
        when
            {{ text }} rlike '^[+-]?[0-9.]+[eE][+-]?[0-9]{1,5}$'
            and (
                {{ text }} rlike '^[+-]?[0.]+[eE]'
                or length(regexp_extract({{ text }}, '\\.([0-9]*?)0*[eE]', 1))
                - length(regexp_extract({{ text }}, '^[+-]?[0-9]*?(0*)(\\.0*)?[eE]', 1))
                - cast(regexp_extract({{ text }}, '[eE]\\+?(-?[0-9]+)$', 1) as int)
                <= {{ scale }}
            )
            then try_cast({{ text }} as decimal({{ precision }}, {{ scale }}))
    end
{%- endmacro %}
