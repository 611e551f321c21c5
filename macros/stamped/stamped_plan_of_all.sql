{#-
  What a run has to do for a model that it makes whole: the parts of its text that today's units
  need, or all where there are no units, and the condition of the rows that it reads. Counts the
  messages, too. What reads landed messages reads no batch above the last one that counts: there
  lies what a killed landing has left.
-#}
{% macro stamped_plan_of_all(model, sql, known_to) %}
    {% set meta = model.config.meta %}
    {% do suit_settings(has_many=false) %}
    {% do kept_rows('units', 'select * from ' ~ ref(meta.units)) %}
    {% set all = run_query(
        'select to_json(array_distinct(flatten(collect_list(parts)))) as parts,'
        ~ ' count(*) as units, sum(messages) as messages, coalesce(max('
        ~ ('cast(unit as bigint)' if meta.unit_is_number else 'null') ~ '), 0) as last_unit'
        ~ ' from kept_units'
    ).rows[0] %}
    {% if all['messages'] is not none %}
        {% set run = modules.onelog.run(invocation_id) %}
        {% do run.update({
            'messages': all['messages'] | int, 'rebuilt_messages': all['messages'] | int
        }) %}
        {% do suit_settings(all['messages'] | int > 20000, is_wide=false) %}
    {% endif %}
    {% set repeats = ['repeats'] if meta.identity and has_repeats(meta, '1 = 1') else [] %}
    {{ return({
        'parts': fromjson(all['parts']) + repeats if all['units'] else stamped_part_names(sql),
        'reads_all': meta.reads ~ ' <= ' ~ all['last_unit'] if not stamped_sources(model)
            else built_until(known_to) if known_to else '1 = 1',
    }) }}
{% endmacro %}
