{#- Microseconds of a number's text, all digits kept, as a decimal; `unit` as epoch_unit has it. -#}
{% macro micros_of(text, unit) -%}
    try_cast(concat({{ text }}, {{ unit }}) as decimal(38, 12))
{%- endmacro %}
