{#-
  A column's epoch number as a timestamp; NULL for all other text, for parts of a microsecond, and
  outside the years 1 to 9999. OMS: second 0 is MySQL's zero timestamp; a fraction behind 13 digits
  is NULL, as its document does not say what it means.
-#}
{% macro epoch_column(column) -%}
    {%- set text = onelog.row_text(column) -%}
    {%- set micros = onelog.micros_of(text, onelog.epoch_unit(column)) -%}
    case
        when
            {{ text }} rlike '^-?([0-9]{1,11}(\\.[0-9]{1,9})?|[0-9]{12,19}(\\.0{0,9})?)$'
            and not (value_encoding = 'oms' and {{ text }} rlike '^-?0+(\\.|$)')
            and {{ micros }} % 1 = 0
            and {{ micros }} between -62135596800000000 and 253402300799999999
            then timestamp_micros(cast({{ micros }} as bigint))
    end
{%- endmacro %}
