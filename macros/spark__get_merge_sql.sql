{#-
  dbt-spark's merge, in which a model may say by `meta: {merge_clauses: […]}` what happens to rows
  that match or do not: dbt itself never deletes.
-#}
{% macro spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
    {%- set merge = dbt.spark__get_merge_sql(
        target, source, unique_key, dest_columns, incremental_predicates
    ) -%}
    {%- set clauses = config.get('meta', {}).get('merge_clauses') -%}
    {%- if clauses -%}
        {# The model's own text may stand before dbt's clauses, and have such words. #}
        {{ merge.rpartition('when matched')[0] }}
        {{ clauses | join('\n        ') }}
    {%- else -%}
        {{ merge }}
    {%- endif -%}
{% endmacro %}
