{#-
  The model's text with the parts that its first build needs, or with all where there are no units.
  Counts the messages, too. What reads landed messages reads no batch above the last one that
  counts: there lies what a killed landing has left.
-#}
{% macro stamped_parts_of_all(sql, meta) %}
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
    {% set counted_sql = sql if stamped_sources(model) else modules.re.sub(
        '\\(1 = 1 (/\\* due: .*? \\*/)\\)', meta.reads ~ ' <= ' ~ all['last_unit'], sql
    ) %}
    {{ return(
        stamped_parts(counted_sql, fromjson(all['parts']) + repeats) if all['units']
        else counted_sql
    ) }}
{% endmacro %}
