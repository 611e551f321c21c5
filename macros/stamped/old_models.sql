{#-
  Names of the stored models that an earlier version made with other columns or fields. A home in
  which names have the newest column has no such model; one whose replays lack `first_at` is so old
  that its mentions may lack a column. Tells the run, too, whether the home is of a version without
  marks.
-#}
{% macro old_models() %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set old_models = [] %}
    {% set names = stored_types('mention_names') %}
    {% if 'line_starts' not in names %}
        {% set types = stored_types('replays') or stored_types('events') %}
        {% do run.update({'is_of_earlier': types and 'marked_unit' not in types}) %}
        {% do old_models.append('mention_names') %}
        {% for name, newest in {'mentions': 'first_at', 'replays': 'topic_key_columns'}.items()
            if newest not in types.get('replay', '') %}
            {% do old_models.append(name) %}
        {% endfor %}
    {% endif %}
    {{ return(old_models) }}
{% endmacro %}


{#- The types of a stored model's columns, by name; none where it has no table. -#}
{% macro stored_types(name) %}
    {% set types = {} %}
    {% set relation = load_relation(api.Relation.create(schema='resolve', identifier=name)) %}
    {% for column in (adapter.get_columns_in_relation(relation) if relation else []) %}
        {% do types.update({column.name: column.dtype}) %}
    {% endfor %}
    {{ return(types) }}
{% endmacro %}
