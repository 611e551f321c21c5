{#- The model's text with the conditions of a run in place of those of a first build. -#}
{% macro stamped_filter(sql, plan) -%}
    {%- set meta = model.config.meta -%}
    {%- set texts = [sql] -%}
    {%- for part in modules.re.findall('/\\* due: (.*?) \\*/', sql) | unique -%}
        {%- set sources = plan.whole if part == '' else plan.parts.get(part, []) -%}
        {%- set conditions = [] -%}
        {%- if meta.grows and (sources or part == '') -%}
            {%- do conditions.append('built_at > ' ~ plan.read_to) -%}
        {%- endif -%}
        {%- if sources and (plan.whole or not meta.grows) -%}
            {%- do conditions.append(listed(meta.reads, plan.whole if meta.grows else sources)) -%}
        {%- endif -%}
        {%- set condition = conditions | join(' or ') or '1 = 0' -%}
        {%- do texts.append(
            texts[-1] | replace('(1 = 1 /* due: ' ~ part ~ ' */)', '(' ~ condition ~ ')')
        ) -%}
    {%- endfor -%}
    {%- for part in modules.re.findall('/\\* any due: (.*?) \\*/', sql) | unique -%}
        {%- do texts.append(texts[-1] | replace(
            '(1 = 1 /* any due: ' ~ part ~ ' */)', '1 = 1' if plan.parts.get(part) else '1 = 0'
        )) -%}
    {%- endfor -%}
    {%- set earlier = plan.looks_back -%}
    {%- set looked_back = '1 = 0' if not earlier else (
        'built_at <= ' ~ plan.read_to
        ~ ' and position >= ' ~ text_literal(earlier['from_position'])
        ~ ' and position <= ' ~ text_literal(earlier['to_position'])
        ~ ' and (' ~ listed(meta.reads, fromjson(earlier['sources'])) ~ ')'
    ) -%}
    {%- set replaced = listed(meta.unit, plan.replaced) or '1 = 0' -%}
    {{ texts[-1]
        | replace('(1 = 0 /* looked back at */)', '(' ~ looked_back ~ ')')
        | replace('(1 = 1 /* new */)', '(built_at > ' ~ plan.read_to ~ ')')
        | replace('(1 = 0 /* replaced */)', '(' ~ replaced ~ ')') }}
{%- endmacro %}


{#-
  The condition that a column has one of these values; numbers become ranges, by which Spark prunes.
  Nothing for no values.
-#}
{% macro listed(column, values) -%}
    {%- if values and values[0] is string -%}
        {%- set literals = [] -%}
        {%- for value in values | unique -%}
            {%- do literals.append(text_literal(value)) -%}
        {%- endfor -%}
        {{ column }} in ({{ literals | join(', ') }})
    {%- else -%}
        {%- set ranges = modules.onelog.ranges(values) -%}
        {%- set alone = ranges | selectattr('is_one') | map(attribute='first') | list -%}
        {%- for range in ranges if not range.is_one -%}
            {{ column }} between {{ range.first }} and {{ range.last }}
            {{- ' or ' if alone or not loop.last }}
        {% endfor -%}
        {{ column ~ ' in (' ~ alone | join(', ') ~ ')' if alone }}
    {%- endif -%}
{%- endmacro %}
