{#-
  Which rows of its source a stamped model reads in a run. Where units grow: what is newer than the
  marks, and all of the units that are replaced, as far as the models above know them; else the
  units that are due, or those of a part.
-#}
{% macro due_condition(plan, part='') -%}
    {%- if plan.reads_all -%}
        {{ return(plan.reads_all) }}
    {%- endif -%}
    {%- set meta = model.config.meta -%}
    {%- set units = plan.whole if meta.grows or part == '' else plan.parts.get(part, []) -%}
    {%- set news = ['built_at > ' ~ plan.read_to] if meta.grows else [] -%}
    {%- set due = news + [listed(meta.reads, units)] if units else news -%}
    {{ '(' if plan.known_to }}{{ due | join(' or ') or '1 = 0' }}
    {{- ') and ' ~ built_until(plan.known_to) if plan.known_to }}
{%- endmacro %}


{#- The rows that are not newer than a run. -#}
{% macro built_until(run_time) -%}
    built_at <= timestamp_micros({{ run_time }})
{%- endmacro %}


{#- The rows built before that may be repeated, or completed, by new rows at or below them. -#}
{% macro looked_back_condition(plan) -%}
    {%- set sources = [] -%}
    {%- for unit in plan.late -%}
        {%- do sources.extend(fromjson(unit['sources'])) -%}
    {%- endfor -%}
    {%- if plan.late -%}
        built_at <= {{ plan.read_to }}
        and position >= {{ text_literal(plan.late | map(attribute='from_position') | min(true)) }}
        and position <= {{ text_literal(plan.late | map(attribute='to_position') | max(true)) }}
        and ({{ listed(model.config.meta.reads, sources) }})
    {%- else -%}
        1 = 0
    {%- endif -%}
{%- endmacro %}
