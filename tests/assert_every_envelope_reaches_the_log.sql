-- An envelope view that the union of silver.events does not name would lose its messages.

{% set forgotten = [] %}
{% if execute %}
    {% set read = graph.nodes['model.onelog.events'].depends_on.nodes %}
    {% for model in graph.nodes.values()
        if model.resource_type == 'model' and 'envelopes' in model.fqn
        and model.unique_id not in read %}
        {% do forgotten.append(model.name) %}
    {% endfor %}
{% endif %}
{% for name in forgotten %}
select '{{ name }}' as envelope
{{ 'union all' if not loop.last }}
{% else %}
select 'none' as envelope
where false
{% endfor %}
