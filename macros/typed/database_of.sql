{#-
  The database of a table as its id has it. OMS Default may name a tenant before the database:
  `tenant.shop` is `shop` where a message of the table says so, else the dot is a part of the name.
  Of a name without a dot, nothing is asked.
-#}
{% macro database_of(source, database_name, table_name) %}
    {% if '.' in (database_name or '') %}
        {% set mention_names = ref('mention_names') %}
        {% if execute and load_relation(mention_names) %}
            {% for row in run_query(
                'select database_identity from ' ~ mention_names ~ ' where marked_unit is null'
                ~ ' and source = ' ~ onelog.text_literal(source)
                ~ ' and table_name = ' ~ onelog.text_literal(table_name)
                ~ ' and database_name = ' ~ onelog.text_literal(database_name)
                ~ ' and database_identity <> database_name limit 1'
            ).rows %}
                {{ return(row['database_identity']) }}
            {% endfor %}
        {% endif %}
    {% endif %}
    {{ return(database_name) }}
{% endmacro %}
