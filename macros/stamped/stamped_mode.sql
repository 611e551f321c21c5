{#-
  What a run does with a model: `build` it whole (it is new, --full-refresh, or a model that it
  reads was made whole since), `compare` its marks with today's stamps, or `skip` it where nothing
  that it reads has changed.
-#}
{% macro stamped_mode(model_node) -%}
    {%- set run = modules.onelog.run(invocation_id) -%}
    {%- set own = run.get('models', {}).get(model_node.name) -%}
    {%- set sources = stamped_sources(model_node) -%}
    {%- set newest = [] -%}
    {%- for name in sources if own -%}
        {%- set source = run.models.get(name) or {'generation': 0, 'built_at': 0} -%}
        {%- do newest.append(source.built_at) -%}
        {%- if source.generation > own.built_at -%}
            {{ return('build') }}
        {%- endif -%}
    {%- endfor -%}
    {%- if not own or should_full_refresh() -%}
        {{ return('build') }}
    {%- endif -%}
    {%- if newest
        and newest | max <= own.built_at
        and own.settings == run.settings
        and not own.read_to -%}
        {{ return('skip') }}
    {%- endif -%}
    {{ return('compare') }}
{%- endmacro %}


{#- Names of the stamped models that a model reads, directly or through views. -#}
{% macro stamped_sources(node) %}
    {% set found = [] %}
    {% for parent_id in node.depends_on.nodes if parent_id in graph.nodes %}
        {% set parent = graph.nodes[parent_id] %}
        {% if parent.config.materialized == 'stamped' %}
            {% do found.append(parent.name) %}
        {% elif parent.resource_type == 'model' %}
            {% do found.extend(stamped_sources(parent)) %}
        {% endif %}
    {% endfor %}
    {{ return(found | unique | list) }}
{% endmacro %}
