{#-
  `HH:mm:ss[.n]` without zeros at the end, as text: Delta has no type for it, and MySQL's go beyond
  a day and below zero. Numbers count from midnight, in microseconds where no type says otherwise.
-#}
{% macro typed_time(column) -%}
    {%- set text = onelog.row_text(column) -%}
    {%- set hours = "^-?([0-7]?[0-9]{2}|8[0-2][0-9]|83[0-8])" -%}
    {%- set unit = "coalesce(" ~ onelog.debezium_unit(column) ~ ", 'E0')" -%}
    case
        when {{ text }} rlike '{{ hours ~ ":[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?\\\\z" }}'
            then regexp_replace(
                if({{ text }} rlike ':.*:', {{ text }}, concat({{ text }}, ':00')),
                '(\\.[0-9]*[1-9])0+$|\\.0+$',
                '$1'
            )
        when
            value_encoding in ('oms_debezium', 'kafka_connect', 'datastream')
            and {{ text }} rlike '^-?[0-9]{1,16}$'
            then {{ onelog.clock_text(onelog.micros_of(text, unit)) | indent(12) }}
    end
{%- endmacro %}
