{#-
  The marks of the units in a list of SQL literals, or of all units, as rows of the model's columns,
  which are NULL but for the merge key. `replaced` lists the units whose rows are replaced, `gone`
  the units that are no more.
-#}
{% macro stamped_marks(model, units=none, replaced=[], gone=[]) -%}
    {%- set run = modules.onelog.run(invocation_id) -%}
    {%- set known = run.models.get(model.name, {}) -%}
    {%- set meta = model.config.meta -%}
    {%- set key = meta.merge_key -%}
    select
        {% for column in own_columns(model) %}
        {% if column.name == key %}
        concat('mark ', marked_unit) as {{ key }},
        {% else %}
        null as {{ column.name }},
        {% endif %}
        {% endfor %}
        {{ built_at() }} as built_at,
        marked_unit,
        cast(mark as {{ mark_type() }}) as mark
    from (
        select '' as marked_unit, named_struct(
            'stamp', null,
            'reach', null,
            'about', {{ text_array(run.untouched) }},
            'since', {{ 'timestamp_micros(' ~ run.read_to ~ ')' if run.read_to else 'null' }},
            'replaced_at', null,
            'generation', {{ built_at() if units is none and meta.units
                else 'timestamp_micros(' ~ known.get('generation', 0) ~ ')' }},
            'settings', '{{ run.settings }}'
        ) as mark
        {% if meta.units and (units is none or units) %}
        union all
        select unit as marked_unit, named_struct(
            'stamp', stamp,
            'reach', reach,
            'about', about,
            {% if units is none %}
            'since', {{ built_at() }},
            'replaced_at', null,
            {% else %}
            'since', coalesce(since, {{ built_at() }}),
            'replaced_at', if(
                unit in ({{ (replaced or ["''"]) | join(', ') }}),
                {{ built_at() }},
                replaced_at
            ),
            {% endif %}
            'generation', null,
            'settings', null
        ) as mark
        from kept_units
        {% if units is not none %}
        where not is_gone
        {% endif %}
        {% endif %}
        {% for unit in gone if key %}
        union all
        select {{ unit }} as marked_unit, named_struct(
            'stamp', null,
            'reach', null,
            'about', null,
            'since', null,
            'replaced_at', {{ built_at() }},
            'generation', null,
            'settings', null
        ) as mark
        {% endfor %}
    )
{%- endmacro %}
