{#-
  Days since 1970 (Debezium), epoch numbers (DataHub in the source's zone, Datastream's Avro), ISO
  text. A time of day other than midnight would be lost: NULL.
-#}
{% macro typed_date(column) -%}
    {%- set text = onelog.row_text(column) -%}
    case
        when {{ text }} rlike '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]00:00(:00(\\.0+)?)?Z?)?$'
            then try_cast(left({{ text }}, 10) as date)
        when
            value_encoding in ('oms_debezium', 'kafka_connect')
            and {{ text }} rlike '^-?[0-9]{1,7}$'
            then if(
                cast({{ text }} as int) between -719162 and 2932896,
                date_from_unix_date(cast({{ text }} as int)),
                null
            )
        when value_encoding in ('datahub', 'datastream')
            then {{ onelog.midnight_date(
                onelog.epoch_column(column), "if(value_encoding = 'datahub', time_zone, 'UTC')"
            ) | indent(12) }}
    end
{%- endmacro %}
