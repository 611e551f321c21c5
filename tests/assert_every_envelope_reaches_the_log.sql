-- An envelope view that the union of resolve.events does not name would lose its messages.

{%- set envelopes = [] %}
{%- for model in graph.nodes.values()
    if model.resource_type == 'model' and 'envelopes' in model.fqn %}
    {%- do envelopes.append(model) %}
{%- endfor %}
{{ models_not_read(envelopes, 'events') }}
