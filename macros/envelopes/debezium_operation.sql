{#-
  Debezium's word for what happened. Transaction marks and schema changes have no `op`: the former
  say BEGIN or END in `status`. A row of a snapshot is `r`, also where the connector writes `c`.
-#}
{% macro debezium_operation() -%}
    case
        when message is null and raw is null then 'tombstone'
        when is_read then 'r'
        when event.op is not null then event.op
        when coalesce(event.ddl, event.databaseName, event.tableChanges) is not null
            then 'SCHEMA_CHANGE'
        else event.status
    end
{%- endmacro %}
