{#- A text without a zone is UTC where the vendor's timestamps are, else in the source's zone. -#}
{% macro typed_timestamp(column) -%}
    {%- set utc_encodings = "('datastream', 'oms_debezium', 'kafka_connect')" -%}
    case
        when {{ onelog.row_text(column) }} rlike '^-?[0-9.]+$'
            then {{ onelog.epoch_column(column) | indent(12) }}
        else {{ onelog.local_timestamp(
            onelog.row_text(column),
            "if(value_encoding in " ~ utc_encodings ~ ", 'UTC', time_zone)"
        ) | indent(8) }}
    end
{%- endmacro %}
