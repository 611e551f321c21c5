{#-
  The own marks of the stored models, by the model's name. A table whose mark is remembered is not
  asked. What an earlier version had in a table's place is dropped, and built anew with its readers.
-#}
{% macro own_marks(old_models) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set marks, asked, queries = {}, {}, [] %}
    {% for model in graph.nodes.values() if model.config.materialized == 'stamped' %}
        {% set relation = load_relation(
            api.Relation.create(schema=model.schema, identifier=model.alias)
        ) %}
        {% set is_kept = relation and not run.is_of_earlier %}
        {% if relation and relation.is_view or is_kept and model.name in old_models %}
            {% do adapter.drop_relation(relation) %}
        {% elif is_kept %}
            {% set mark = modules.onelog.remembered_mark(relation | string, relation.information) %}
            {% if mark %}
                {% do marks.update({model.name: mark}) %}
            {% else %}
                {% do asked.update({model.name: {
                    'table': relation | string,
                    'commit': modules.onelog.newest_commit(relation.information),
                }}) %}
                {% do queries.append(
                    "(select '" ~ model.name ~ "', unix_micros(built_at),"
                    ~ " unix_micros(mark.generation), mark.settings, to_json(mark.about),"
                    ~ " unix_micros(mark.since) from " ~ relation
                    ~ " where marked_unit = '' order by built_at desc limit 1)"
                ) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% set found = run_query(queries | join(' union all ')).rows if queries else [] %}
    {% for row in found %}
        {% do marks.update({row[0]: {
            'built_at': row[1] | int,
            'generation': row[2] | int,
            'settings': row[3],
            'about': fromjson(row[4]) if row[4] else [],
            'read_to': row[5] | int if row[5] else none,
        }}) %}
        {% set table, commit = asked[row[0]].table, asked[row[0]].commit %}
        {% do modules.onelog.remember_mark(table, commit, marks[row[0]]) %}
    {% endfor %}
    {{ return(marks) }}
{% endmacro %}
