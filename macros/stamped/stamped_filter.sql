{#-
  The model's text with the conditions of a run in the place of those of a first build. In one pass:
  the conditions list names that come from messages, and one may look like a condition.
-#}
{% macro stamped_filter(sql, plan) -%}
    {%- set fixed = {
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
            ({{ fixed[text] }})
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The model's text without the parts that no unit which is due needs. -#}
{% macro stamped_parts(sql, due) -%}
    {%- set texts = [sql] -%}
    {%- for name in modules.re.findall('/\\* part: (.*?) \\*/', sql) | unique
        if name not in due -%}
        {%- do texts.append(modules.re.sub(
            '(?s)/\\* part: ' ~ name ~ ' \\*/.*?/\\* end of part: ' ~ name ~ ' \\*/', '', texts[-1]
        )) -%}
    {%- endfor -%}
    {{ texts[-1] }}
{%- endmacro %}
