{#-
  What a run has to do for a model, from its marks and today's units: the units that are due (SQL
  literals), replaced (values) or gone, and the values by which their rows are read.
-#}
{% macro stamped_plan(model) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set meta = model.config.meta %}
    {% set own = run.models[model.name] %}
    {% set read_to = 'timestamp_micros(' ~ just_after(own.read_to or own.built_at) ~ ')' %}
    {% do suit_settings(has_many=false) %}
    {% do kept_rows('units', stamped_changes(meta, read_to)) %}
    {% set plan = {
        'read_to': read_to,
        'known_to': known_to(model),
        'units': [],
        'whole': [],
        'replaced': [],
        'gone': [],
        'parts': {},
        'late': [],
        'recounted': [],
        'renewed': [],
    } %}
    {% for row in run_query(kept_changes(meta, read_to)).rows %}
        {% do run.update({'messages': run.get('messages', 0) + (row['messages'] or 0) | int}) %}
        {% set unit = text_literal(row['unit']) %}
        {% do (plan.gone if row['is_gone'] else plan.units).append(unit) %}
        {% if not row['is_new'] %}
            {% do plan.renewed.append(unit) %}
        {% endif %}
        {% if row['is_gone'] or row['is_changed'] %}
            {% do plan.recounted.append(unit) %}
            {% do plan.replaced.append(row['unit'] | int if meta.unit_is_number else row['unit']) %}
        {# A replaced unit is read whole, with all that its new rows may repeat. #}
        {% elif meta.arrivals and row['from_position'] is not none %}
            {% do plan.late.append(row) %}
        {% endif %}
        {% if row['is_whole'] %}
            {% do plan.whole.extend(fromjson(row['sources'])) %}
        {% endif %}
        {% for part in fromjson(row['parts']) %}
            {% do plan.parts.setdefault(part, []).extend(fromjson(row['sources'])) %}
        {% endfor %}
    {% endfor %}
    {% if plan.late %}
        {% do plan.parts.update({'earlier': [1]}) %}
    {% endif %}
    {% do plan.update({
        'has_many': run.get('messages', 0) > 20000
            or plan.recounted
            or (meta.grows and plan.whole)
            or (model.name in run.behind and not meta.merge_key)
    }) %}
    {% do suit_settings(plan.has_many, is_wide=false) %}
    {% if meta.identity and plan.units and has_repeats(
        meta, '(' ~ due_condition(plan) ~ ') or (' ~ looked_back_condition(plan) ~ ')'
    ) %}
        {% do plan.parts.update({'repeats': [1]}) %}
    {% endif %}
    {# Where units grow, the marks say how far the source was read. #}
    {% do plan.update({
        'is_due': plan.units or plan.gone or meta.grows,
        'is_too_large': meta.grows and plan.whole | length > 2000,
    }) %}
    {{ return(plan) }}
{% endmacro %}
