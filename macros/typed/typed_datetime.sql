{#- OMS's and DataHub's numbers are moments; all others count from 1970 in the source's zone. -#}
{% macro typed_datetime(column) -%}
    case
        when not {{ onelog.row_text(column) }} rlike '^-?[0-9.]+$'
            then {{ onelog.local_timestamp(onelog.row_text(column), 'time_zone') | indent(12) }}
        when value_encoding in ('oms', 'datahub')
            then {{ onelog.epoch_column(column) | indent(12) }}
        else {{ onelog.local_moment(onelog.epoch_column(column), 'time_zone') | indent(8) }}
    end
{%- endmacro %}
