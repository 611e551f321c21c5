{#-
  A data test's SQL: the names of the models in a list that a model should read and does not read.
-#}
{% macro models_not_read(models, reader) %}
    {#- A project that uses this one as a package has a cast_failures of its own. #}
    {%- set read = [] %}
    {%- if execute %}
        {%- set readers = graph.nodes.values() | selectattr('name', 'equalto', reader) %}
        {%- set known = graph.nodes.get('model.onelog.' ~ reader) or readers | first %}
        {%- do read.extend(known.depends_on.nodes) %}
    {%- endif %}
    {%- for model in models if model.unique_id not in read %}
    select {{ text_literal(model.name) }} as model_name
    union all
    {%- endfor %}
    select cast(null as string) as model_name
    where false
{%- endmacro %}
