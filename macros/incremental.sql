{#-
  dbt's incremental. Of a typed model whose text is the one of its last run, nothing is looked up
  that only the text decides; where its table has nothing new it is left alone: even a merge of no
  rows takes Delta a second, and most of many tables are quiet in a run.
-#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
    {%- set mark = onelog.typed_mark(sql) -%}
    {%- set known = onelog.known_typed_mark() if mark -%}
    {%- set has_same_text = known and known.text == mark.text -%}
    {%- set is_up_to_date = has_same_text and not onelog.has_typed_news(known) -%}
    {% if has_same_text %}
        {{ run_hooks(pre_hooks) }}
        {% if is_up_to_date %}
            {% call noop_statement('main', 'nothing new') %}
                -- nothing that the model reads has changed
            {% endcall %}
        {% else %}
            {% call statement('main') %}
                {{ get_merge_sql(
                    this,
                    '(\n' ~ (sql | trim).removesuffix(';') ~ '\n)',
                    config.get('unique_key'),
                    none,
                    config.get('predicates') or config.get('incremental_predicates')
                ) }}
            {% endcall %}
        {% endif %}
        {{ run_hooks(post_hooks) }}
    {% else %}
        {%- do dbt.materialization_incremental_spark() -%}
    {% endif %}
    {% if mark and not is_up_to_date %}
        {% do onelog.remember_typed_mark(mark) %}
    {% endif %}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
