{#-
  Keeps a model as a table. A model is a select whose rows belong to units (`meta`: `unit` is their
  column, `units` the view of today's units with their stamps). A run adds the rows that are newer
  than the marks, replaces the units whose stamp has changed, and writes the new marks in the same
  commit. A model without units is small: where something that it reads has changed, its rows are
  made anew, and written if they differ from the stored ones.
-#}
{% materialization stamped, adapter='spark', supported_languages=['sql'] %}
    {%- set run = modules.onelog.run(invocation_id) -%}
    {%- set known = run.models.get(model.name) -%}
    {%- set mode = 'skip' if flags.EMPTY and known else stamped_mode(model) -%}
    {%- set has_units = model.config.meta.units is defined -%}
    {#- A model that selects from its units' view (replays) reads the kept units instead. -#}
    {%- set own_sql = sql | replace(ref(model.config.meta.units) | string, 'kept_units')
        if has_units else sql -%}
    {%- set only_with = model.config.meta.only_with -%}
    {%- set merges = model.config.meta.merge_key -%}
    {%- set is_idle = mode == 'compare' and only_with and not has_rows([ref(only_with), this]) -%}
    {%- set has_to_plan = mode == 'compare' and has_units and not is_idle -%}
    {%- set plan = stamped_plan(model) if has_to_plan else {} -%}
    {%- set is_made_anew = mode == 'compare' and not has_units and has_other_rows(sql) -%}
    {%- set is_whole = mode == 'build' or plan.is_too_large or is_made_anew -%}
    {%- set last_known = plan.known_to if has_to_plan else known_to(model) -%}
    {%- do run.update({'read_to': last_known}) -%}
    {% if is_whole %}
        {% do refuse_silent_replacement() %}
        {% if not stamped_sources(model) %}
            {% do refuse_to_lose_expired_batches(
                this ~ ' alone still holds what they said, and would lose it. All that is built on'
                ~ ' it can be rebuilt: dbt run --full-refresh --exclude events.'
            ) %}
        {% endif %}
        {% set whole = stamped_plan_of_all(model, own_sql, last_known) if has_units %}
        {% do suit_settings(
            has_units and run.get('rebuilt_messages', 1000000) > 20000, is_wide=not merges
        ) %}
        {% set whole_sql = stamped_text(own_sql, whole) if has_units
            else 'select * from kept_rows' if is_made_anew else sql %}
        {% call statement('main') %}
            create or replace table {{ this }}
            using delta
            {{ tblproperties_clause() }}
            as
            {{ stamped_written(whole_sql, stamped_marks(model)) }}
        {% endcall %}
    {% elif plan.is_due %}
        {# The rows of a unit that grows lie in many files. #}
        {% do plan.update({'is_large': model.config.meta.grows and marks_deleted(this)}) %}
        {% if not plan.has_many and 'messages' in run and model.name not in run.behind %}
            {% do plan.parts.update({'few': [1]}) %}
        {% endif %}
        {% do suit_settings(
            plan.has_many,
            is_wide=not merges,
            joins_with_many=merges and plan.is_large and 'few' not in plan.parts
        ) %}
        {% set due_sql = stamped_text(own_sql, plan) %}
        {% call statement('main') %}
            {{ stamped_merge(due_sql, plan) if merges
                else stamped_replace(due_sql, plan) }}
        {% endcall %}
    {% else %}
        {# --empty says nothing of what there is to do. #}
        {% if not flags.EMPTY %}
            {% do run.untouched.append(model.name) %}
        {% endif %}
        {% call noop_statement('main', 'nothing new') %}
            -- nothing that the model reads has changed
        {% endcall %}
    {% endif %}
    {% do modules.onelog.forget_kept() %}
    {# What other models read may be much, whatever this run has brought. #}
    {% do suit_settings(run.has_many, is_planned_once=false, is_wide=false) %}
    {% if is_whole or plan.is_due %}
        {% do run.models.update({model.name: {
            'built_at': run.built_at,
            'generation': run.built_at if is_whole and has_units
                else (known or {}).get('generation', 0),
            'settings': run.settings,
            'about': run.untouched | list,
            'read_to': run.read_to,
        }}) %}
        {% set listed_as = (load_cached_relation(this) or {}).information %}
        {% do modules.onelog.remember_mark(
            this | string, modules.onelog.newest_commit(listed_as), run.models[model.name]
        ) %}
    {% endif %}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
