{#-
  dbt's own, in which `__newest_batches__` stands for the batches that tests of the log look at: the
  text of a test's `where` is fixed before any query can run.
-#}
{% macro spark__get_where_subquery(relation) -%}
    {%- set where = config.get('where') or '' -%}
    {%- if '__newest_batches__' in where -%}
        {%- set newest = 'batch >= ' ~ onelog.first_tested_batch() -%}
        {%- set where = where | replace('__newest_batches__', newest) -%}
    {%- endif -%}
    {{ return('(select * from ' ~ relation ~ ' where ' ~ where ~ ') dbt_subquery' if where
        else relation) }}
{%- endmacro %}
