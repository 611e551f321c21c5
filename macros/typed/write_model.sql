{#- Writes a typed gold model and its YAML for a table, out of what the log knows of it. -#}
{% macro write_model(
    source, table_name, database_name=none, schema_name=none, model_name=none
) %}
    {% if not (load_relation(ref('row_states')) and load_relation(ref('replays'))) %}
        {% do exceptions.raise_compiler_error('nothing is built yet: run dbt run first') %}
    {% endif %}
    {% set table = modules.onelog.choose_table(
        run_query(onelog.logged_tables()), source, database_name, schema_name, table_name
    ) %}
    {% do log(modules.onelog.write_typed_model(
        table,
        run_query(onelog.logged_columns(table)),
        model_name,
        graph.nodes.values() | map(attribute='name') | list
    ), info=true) %}
{% endmacro %}
