{#-
  Debezium's word for what happened. Transaction events and schema changes have no `op`: the former
  say BEGIN or END in `status`. A row of a snapshot is `r`, also where the connector writes `c`.
-#}
{% macro debezium_operation() -%}
    case
        when message is null and raw is null then 'tombstone'
        when is_read then 'r'
        when op is not null then op
        when coalesce(ddl, databaseName, tableChanges) is not null then 'SCHEMA_CHANGE'
        else status
    end
{%- endmacro %}
