{#- Whether a message of OMS Default, extended or not, is a row of a full synchronization. -#}
{% macro oms_default_is_backfill() -%}
    coalesce(
        message.recordType = 'ROW'
        or (
            message.recordType = 'INSERT'
            and {{ has_no_time('message.allMetaData.timestamp') }}
        ),
        false
    )
{%- endmacro %}
