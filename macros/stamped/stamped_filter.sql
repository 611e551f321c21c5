{#- The model's text with the conditions of a run in the place of those of a first build. -#}
{% macro stamped_filter(sql, plan) -%}
    {%- set texts = [sql] -%}
    {%- for part in modules.re.findall('/\\* due: (.*?) \\*/', sql) | unique -%}
        {%- do texts.append(texts[-1] | replace(
            '(1 = 1 /* due: ' ~ part ~ ' */)', '(' ~ due_condition(plan, part) ~ ')'
        )) -%}
    {%- endfor -%}
    {%- set replaced = listed(model.config.meta.unit, plan.replaced) or '1 = 0' -%}
    {{ texts[-1]
        | replace('(1 = 0 /* looked back at */)', '(' ~ looked_back_condition(plan) ~ ')')
        | replace('(1 = 0 /* new */)', '(built_at > ' ~ plan.read_to ~ ')')
        | replace('(1 = 0 /* replaced */)', '(' ~ replaced ~ ')') }}
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
