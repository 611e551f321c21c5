-- What a typed model that gold.cast_failures does not list could not read would go unseen.

{%- set typed_models = [] %}
{%- for model in graph.nodes.values() if model.resource_type == 'model' and 'typed' in model.tags %}
    {%- do typed_models.append(model) %}
{%- endfor %}
{{ models_not_read(typed_models, 'cast_failures') }}
