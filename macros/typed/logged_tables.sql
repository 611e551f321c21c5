{#-
  The tables of the log, by the names that they have now. `database_names`: JSON of the database as
  the messages of each row spell it.
-#}
{% macro logged_tables() %}
    select
        source,
        max(database_name) as database_name,
        to_json(collect_set(database_name)) as database_names,
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
