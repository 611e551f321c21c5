{#-
  Merges the rows and the marks of a run in one commit, by the model's key. A unit that is gone
  keeps an empty mark.
-#}
{% macro stamped_merge(due_sql, plan) -%}
    {%- set key = model.config.meta.merge_key -%}
    merge into {{ this }} as stored
    using (
        {% if plan.units or plan.gone %}
        {{ stamped_rows(due_sql) }}
        union all
        {% endif %}
        {{ stamped_marks(model, plan.units, plan.recounted, plan.gone) }}
    ) as news
    on stored.{{ key }} = news.{{ key }}
    when matched then update set *
    when not matched then insert *
{%- endmacro %}
