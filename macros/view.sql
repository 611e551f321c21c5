{#-
  dbt's view, left alone where its text and its comments have not changed. Their hash is a property
  of the view, which dbt's listing of relations brings along. A view keeps the columns with which it
  was made: one that takes all columns of a table is made anew, unless a contract or this version
  says them.
-#}
{% materialization view, adapter='spark' %}
    {%- set has_column_comments = config.persist_column_docs() -%}
    {%- set text = local_md5(
        sql ~ comment_clause() | trim ~ (model.columns if has_column_comments else '')
    ) -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set has_fixed_columns = config.get('contract').enforced
        or this.schema == 'resolve'
        or not onelog.takes_all_columns(sql) -%}
    {%- set is_unchanged = existing is not none
        and not should_full_refresh()
        and has_fixed_columns
        and 'onelog.text=' ~ text in (existing.information or '') -%}
    {{ run_hooks(pre_hooks) }}
    {% if existing is not none and existing.type == 'table' %}
        {% do adapter.drop_relation(existing) %}
    {% endif %}
    {% if is_unchanged %}
        {% call noop_statement('main', 'unchanged') %}
            -- the view has this text
        {% endcall %}
    {% else %}
        {% call statement('main') %}
            {% if config.get('contract').enforced %}
                {{ get_assert_columns_equivalent(sql) }}
            {% endif %}
            create or replace view {{ this }}
            {% if has_column_comments %}
                ({{ get_persist_docs_column_list(model.columns, get_columns_in_query(sql)) }})
            {% endif %}
            {{ comment_clause() }}
            tblproperties ('onelog.text' = '{{ text }}')
            as
            {{ sql }}
        {% endcall %}
    {% endif %}
    {% do apply_grants(this, config.get('grants'), should_revoke(existing, not is_unchanged)) %}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='view')]}) }}
{% endmaterialization %}
