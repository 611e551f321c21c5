{#-
  A number's text as decimal(precision, scale); NULL where that would round it, cut it or overflow.
  A text in scientific notation has as many digits behind the point as it has digits, without the
  zeros at the end, less those before the point, less the exponent. No pattern looks at a long text
  more than once, and no cast reads one, which takes Java the square of its length: hostile texts
  would hold up a run for hours.
-#}
{% macro exact_decimal(text, precision, scale) -%}
    {%- set digits = "replace(regexp_extract(" ~ text ~ ", '^[+-]?([0-9.]+)', 1), '.')" -%}
    case
        when length({{ text }}) > 10000 then null
        when {{ text }} rlike '^[+-]?[0-9]*(\\.[0-9]{0,{{ scale }}}0*)?$'
            then try_cast({{ text }} as decimal({{ precision }}, {{ scale }}))
        when
            {{ text }} rlike '^[+-]?[0-9.]+[eE][+-]?[0-9]{1,5}$'
            and (
                {{ text }} rlike '^[+-]?[0.]+[eE]'
                or length(trim(trailing '0' from {{ digits }}))
                - length(regexp_extract({{ text }}, '^[+-]?([0-9]*)', 1))
                - cast(regexp_extract({{ text }}, '[eE]\\+?(-?[0-9]+)$', 1) as int)
                <= {{ scale }}
            )
            then try_cast({{ text }} as decimal({{ precision }}, {{ scale }}))
    end
{%- endmacro %}
