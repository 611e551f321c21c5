{#-
  The rows built before whose place new rows take, as a condition (`meta.supersedes`: the column of
  their id). A unit whose rows count by copies is folded anew then: its mark says replaced.
-#}
{% macro stamped_superseded(due_sql, plan) -%}
    {%- set meta = model.config.meta -%}
    {%- if meta.supersedes and plan.looks_back -%}
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
    {%- endif -%}
{%- endmacro %}
