{#-
  The unit of a column's epoch number, as the exponent that makes microseconds of it. OMS writes
  seconds, DataWorks 2.0 also 13 digits of milliseconds; Datastream's JSON has milliseconds, its
  Avro microseconds.
-#}
{% macro epoch_unit(column) -%}
    case
        when value_encoding in ('datahub', 'oms_debezium') then 'E3'
        when value_encoding = 'oms'
            then if({{ onelog.row_text(column) }} rlike '^-?[0-9]{1,11}(\\.|$)', 'E6', 'E3')
        when value_encoding in ('kafka_connect', 'datastream')
            then coalesce(
                {{ onelog.debezium_unit(column) | indent(16) }},
                if({{ onelog.row_text(column) }} rlike '^-?[0-9]{1,14}(\\.|$)', 'E3', 'E0')
            )
    end
{%- endmacro %}
