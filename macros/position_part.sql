{#-
  A whole number's text of any length, written so that texts compare as the numbers do: a letter for
  the number of digits, then the digits. NULL ('0') is below all. Negative numbers have upper case
  letters that count their digits down. More than 25 digits have their number written out behind
  'z'.
-#}
{% macro position_part(value) -%}
    case
        when {{ value }} is null then '0'
        when startswith({{ value }}, '-')
            then concat(
                char(91 - least(length({{ value }}) - 1, 26)),
                lpad(999999999 - length({{ value }}), 9, '0'),
                translate(substr({{ value }}, 2), '0123456789', '9876543210')
            )
        when length(ltrim('+0', {{ value }})) <= 25
            then concat(
                char(96 + greatest(length(ltrim('+0', {{ value }})), 1)),
                coalesce(nullif(ltrim('+0', {{ value }}), ''), '0')
            )
        else concat(
            'z', lpad(length(ltrim('+0', {{ value }})), 9, '0'), ltrim('+0', {{ value }})
        )
    end
{%- endmacro %}
