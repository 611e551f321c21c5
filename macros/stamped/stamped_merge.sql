{#-
  Merges the rows and the marks of a run in one commit, by the model's key. A unit that is gone
  keeps an empty mark. Few rows are computed before the merge: other settings suit them than a merge
  into a large table, and Delta would keep them once more.
-#}
{% macro stamped_merge(due_sql, plan) -%}
    {%- set key = model.config.meta.merge_key -%}
    {%- set news = stamped_with_marks(
        due_sql if plan.units or plan.gone,
        stamped_marks(model, plan.units, plan.recounted, plan.gone)
    ) -%}
    {%- if 'few' in plan.parts -%}
        {%- set news = kept_rows('news', news) -%}
        {%- do suit_settings(
            has_many=false,
            joins_with_many=plan.is_large,
            is_kept=modules.onelog.is_one_process()
        ) -%}
    {%- endif -%}
    merge into {{ this }} as stored
    using (
        {{ news }}
    ) as news
    on stored.{{ key }} = news.{{ key }}
    when matched then update set *
    when not matched then insert *
{%- endmacro %}
