{#- Makes the databases, and the bronze tables that the sources' YAML declares, where missing. -#}
{% macro create_bronze() %}
    {% if execute %}
        {% for name in ['bronze', 'settings', 'silver', 'resolve', 'gold'] %}
            {% do run_query('create database if not exists ' ~ name) %}
        {% endfor %}
        {% for source in graph.sources.values() if source.external %}
            {% set table = api.Relation.create(schema='bronze', identifier=source.name) %}
            {% if not load_relation(table) %}
                {% do run_query(external_table_ddl(source)) %}
            {% endif %}
        {% endfor %}
    {% endif %}
{% endmacro %}
