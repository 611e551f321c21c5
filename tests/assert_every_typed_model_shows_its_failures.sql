-- Typed models that gold.cast_failures does not list: nobody would see the values that they could
-- not read.

{%- set typed_models = [] %}
{%- for model in graph.nodes.values() if model.resource_type == 'model' and 'typed' in model.tags %}
    {%- do typed_models.append(model) %}
{%- endfor %}
{{ models_not_read(typed_models, 'cast_failures') }}
