{#- The unit that Debezium's or Kafka Connect's name of a column's type says, else NULL. -#}
{% macro debezium_unit(column) -%}
    case
        when column_types[{{ onelog.text_literal(column) }}] like '%.MicroTime%' then 'E0'
        when column_types[{{ onelog.text_literal(column) }}] like '%.NanoTime%' then 'E-3'
        when column_types[{{ onelog.text_literal(column) }}] like '%.Time%' then 'E3'
    end
{%- endmacro %}
