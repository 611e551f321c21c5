{#-
  The run up to which all that a model reads knows the rows of its source; none where nothing is
  behind. Where models above it were left out (`dbt run --select`), or a run was stopped before
  them, newer rows wait for a later run, which knows what they mean: until nothing is behind, the
  model reads no more than it has read. The time of what is behind does not tell: that may have been
  built, or found nothing to do, when what it reads was behind.
-#}
{% macro known_to(model_node) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set source = model_node.config.meta.source %}
    {% set above = stamped_ancestors(model_node) if source else [] %}
    {% set times = [] %}
    {# A model for which this run has found nothing to do is as new as the run. #}
    {% for node in graph.nodes.values()
        if node.name in above and node.name not in [source] + run.untouched
    %}
        {% set behind = run.models.get(node.name, {'built_at': 0}) %}
        {% for name in stamped_sources(node) if name in run.models %}
            {% if run.models[name].built_at > behind.built_at %}
                {% do times.append(behind.built_at) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {# Of a source that was made anew, all that reads it is made anew, too. #}
    {% set generation = run.models[source].generation if times else 0 %}
    {% set own = run.models.get(model_node.name) %}
    {% set read = [own.read_to or own.built_at] if own and own.built_at >= generation else times %}
    {% set known = read | min if times else none %}
    {{ return(known if times and known >= generation else none) }}
{% endmacro %}


{#- Names of all stamped models that a model is built of. -#}
{% macro stamped_ancestors(node) %}
    {% set found = [] %}
    {% do found.extend(stamped_sources(node)) %}
    {% for parent in graph.nodes.values() if parent.name in found | list %}
        {% do found.extend(stamped_ancestors(parent)) %}
    {% endfor %}
    {{ return(found | unique | list) }}
{% endmacro %}
