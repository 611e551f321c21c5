{#-
  The model's text as a run needs it: without the parts that no unit which is due needs, with what
  is computed once, and with the run's conditions.
-#}
{% macro stamped_text(sql, plan) %}
    {{ return(stamped_filter(stamped_once(stamped_parts(sql, plan.parts), plan), plan)) }}
{% endmacro %}


{#-
  The model's text with the conditions of a run. In one pass: the conditions list names that come
  from messages, and one may look like a condition.
-#}
{% macro stamped_filter(sql, plan) -%}
    {#- A model that is made whole has nothing stored that it could look back at. -#}
    {%- set fixed = {} if plan.reads_all else {
        'looked back at': looked_back_condition(plan),
        'new': 'built_at > ' ~ plan.read_to,
        'replaced': listed(model.config.meta.unit, plan.replaced) or '1 = 0',
    } -%}
    {%- for text in modules.re.split('\\(1 = [01] /\\* (.*?) \\*/\\)', sql) -%}
        {%- if loop.index is odd -%}
            {{ text }}
        {%- elif text.startswith('due: ') -%}
            ({{ due_condition(plan, text.removeprefix('due: ')) }})
        {%- else -%}
            ({{ fixed.get(text, '1 = 0') }})
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The model's text without the parts that no unit which is due needs. -#}
{% macro stamped_parts(sql, due) -%}
    {%- set texts = [sql] -%}
    {%- for name in stamped_part_names(sql) | unique if name not in due -%}
        {%- do texts.append(modules.re.sub(
            '(?s)/\\* part: ' ~ name ~ ' \\*/.*?/\\* end of part: ' ~ name ~ ' \\*/', '', texts[-1]
        )) -%}
    {%- endfor -%}
    {{ texts[-1] }}
{%- endmacro %}


{#- The names of the parts of a model's text. -#}
{% macro stamped_part_names(sql) %}
    {{ return(modules.re.findall('/\\* part: (.*?) \\*/', sql)) }}
{% endmacro %}
