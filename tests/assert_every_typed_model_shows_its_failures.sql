-- What a typed model that gold.cast_failures does not list could not read would go unseen.

{% set forgotten = [] %}
{% if execute %}
    {% set read = graph.nodes['model.onelog.cast_failures'].depends_on.nodes %}
    {% for model in graph.nodes.values()
        if model.resource_type == 'model' and 'typed' in model.tags
        and model.unique_id not in read %}
        {% do forgotten.append(model.name) %}
    {% endfor %}
{% endif %}
{% for name in forgotten %}
select '{{ name }}' as model_name
{{ 'union all' if not loop.last }}
{% else %}
select 'none' as model_name
where false
{% endfor %}
