{#- The tables of the log, by the names that they have now. -#}
{% macro logged_tables() %}
    select
        source,
        max(database_name) as database_name,
        schema_name,
        table_name,
        table_id
    from {{ ref('row_states') }}
    where mark is null
    group by
        source,
        schema_name,
        table_name,
        table_id
    order by
        source,
        database_name,
        table_name
{% endmacro %}
