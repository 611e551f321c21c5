{#- The tables that were ever renamed, as literals of their ids; asked once in a run. -#}
{% macro renamed_tables() %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if execute and 'renamed' not in run %}
        {% set effects = api.Relation.create(schema='resolve', identifier='table_effects') %}
        {% set renamed = [] %}
        {% for table_id in run_query(
            'select table_id from ' ~ effects ~ ' where present_name is not null'
        ).columns[0].values() %}
            {% do renamed.append(onelog.text_literal(table_id)) %}
        {% endfor %}
        {% do run.update({'renamed': renamed}) %}
    {% endif %}
    {{ return(run.get('renamed', [])) }}
{% endmacro %}
