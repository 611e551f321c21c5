{#- The tables of the log, by the names that their newest changes give. -#}
{% macro logged_tables() %}
    select
        source,
        max_by(database_name, log_position) filter (
            where database_name is not null
        ) as database_name,
        schema_name,
        table_name,
        table_id
    from {{ ref('change_log') }}
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
