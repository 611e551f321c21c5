{#-
  The condition of the earlier rows that new rows replace (`meta.supersedes`: the column of their
  id). In a table without a key, copies are counted: its mark then says replaced, so that its states
  are folded anew.
-#}
{% macro stamped_superseded(due_sql, plan) -%}
    {%- set meta = model.config.meta -%}
    {%- set found = run_query(
        'select ' ~ meta.supersedes ~ ' as id, ' ~ meta.unit ~ ' as unit,'
        ~ ' key is null as is_counted from (' ~ due_sql ~ ') where supersedes'
    ).rows -%}
    {%- set ids = [] -%}
    {%- for row in found -%}
        {%- do ids.append(text_literal(row['id'])) -%}
        {%- if row['is_counted'] -%}
            {%- do plan.recounted.append(text_literal(row['unit'])) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if ids -%}
        {{ meta.supersedes }} in ({{ ids | join(', ') }})
    {%- endif -%}
{%- endmacro %}
