{#-
  dbt's incremental. A typed model is left alone where its table has nothing new: even a merge of no
  rows takes Delta seconds, and most of many tables are quiet in a run.
-#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
    {%- set mark = onelog.typed_mark(sql) -%}
    {%- set listed_as = (load_cached_relation(this) or {}).information -%}
    {%- set known = modules.onelog.remembered_mark(this | string, listed_as) if mark -%}
    {% if known and is_incremental() and onelog.is_up_to_date(mark, known) %}
        {{ run_hooks(pre_hooks) }}
        {% call noop_statement('main', 'nothing new') %}
            -- nothing that the model reads has changed
        {% endcall %}
        {{ run_hooks(post_hooks) }}
        {{ return({'relations': [this.incorporate(type='table')]}) }}
    {% endif %}
    {%- set built = dbt.materialization_incremental_spark() -%}
    {% if mark %}
        {% do modules.onelog.remember_mark(
            this | string, modules.onelog.newest_commit(listed_as), mark
        ) %}
    {% endif %}
    {{ return(built) }}
{% endmaterialization %}
