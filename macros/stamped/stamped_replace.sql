{#-
  Adds the rows and the marks of a run in one commit, in place of the rows of replaced units and of
  the marks that the run renews. Delta wants each new row to match the condition: all have the run's
  time. Where all units are new, it only adds: the model's own marks of before stay, until a run
  replaces something.
-#}
{% macro stamped_replace(due_sql, plan) -%}
    {%- set supersedes = model.config.meta.supersedes
        and plan.late
        and 'halves' in plan.parts -%}
    {%- set rows_sql = kept_rows('due', due_sql) if supersedes else due_sql -%}
    {%- set superseded = stamped_superseded(rows_sql, plan) if supersedes -%}
    insert into {{ this }}
    {% if plan.renewed or superseded %}
    replace where
        built_at = {{ built_at() }}
        or marked_unit in ({{ (["''"] + plan.units + plan.gone) | join(', ') }})
        {% if plan.replaced %}
        or {{ listed(model.config.meta.unit, plan.replaced) }}
        {% endif %}
        {% if superseded %}
        or {{ superseded }}
        {% endif %}
    {% endif %}
    {{ stamped_written(
        rows_sql if plan.units, stamped_marks(model, plan.units, plan.recounted, plan.gone)
    ) }}
{%- endmacro %}
