{#-
  OMS: "a sequence is generated … in the timestamp + sequence number format. The sequence number
  increments and does not exceed five digits": (second, counter), not one number, as 9 and 10 of one
  second differ in width. A number that does not begin with the message's own second, give or take a
  week, is a system change number, below every pair. Without any number, the second alone counts.
-#}
{% macro sequence_parts(sequence, second) -%}
    case
        when
            {{ sequence }} rlike '^[0-9]{11,15}$'
            and abs(cast(left({{ sequence }}, 10) as bigint) - {{ second }}) <= 7 * 24 * 3600
            then array(left({{ sequence }}, 10), substr({{ sequence }}, 11))
        when {{ sequence }} rlike '^[0-9]+$' then array(null, {{ sequence }})
        else array(cast({{ second }} as string), null)
    end
{%- endmacro %}
