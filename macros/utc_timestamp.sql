{#-
  A vendor's time as a UTC timestamp. 0 and -1 are "no time", also as texts of these moments; what
  is not a time is NULL. Where `unit` is a literal, the text has no branches of other units.
  `magnitude`: an epoch number whose unit its size tells (up to 11 digits s, 14 ms, 17 us, else ns).
  Years that Python or Spark cannot show are no times; the bounds also keep the arithmetic from
  overflowing. A text needs a full date: Spark would read a bare time as one of today. A local text
  is read with its zone as one text: an unknown zone gives NULL, and stops no run.
-#}
{% macro utc_timestamp(value, unit, time_zone) -%}
    {%- set local_text = "concat(" ~ value ~ ", ' ', " ~ time_zone ~ ")" -%}
    {%- set text = {"'iso'": value, "'local'": local_text}.get(
        unit, "if(" ~ unit ~ " = 'local', " ~ local_text ~ ", " ~ value ~ ")"
    ) -%}
    {%- set is_literal = unit.startswith("'") -%}
    case
        {%- if not is_literal or unit in ("'iso'", "'local'") %}
        when
            {{ unit }} in ('local', 'iso')
            and {{ value }} like '____-%-%'
            and left({{ value }}, 4) between '0002' and '9998'
            then nullif(
                nullif(try_cast({{ text }} as timestamp), timestamp_millis(0)), timestamp_millis(-1)
            )
        {%- endif %}
        {%- if unit != "'local'" %}
        when {{ unit }} <> 'local'
            then {{ epoch_timestamp('try_cast(' ~ value ~ ' as bigint)', unit) | indent(12) }}
        {%- endif %}
    end
{%- endmacro %}
