{#-
  What the marks of resolve.row_states say of each table: its id and source, the names that its rows
  have, the run that last wrote of them, and the run that last folded them anew. Asked once in a
  run.
-#}
{% macro state_marks() %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if execute and 'state_marks' not in run %}
        {% set marks = [] %}
        {% for row in run_query(
            "select marked_unit, from_json(marked_unit, 'array<string>')[0] as source,"
            ~ ' to_json(mark.about) as names, unix_micros(built_at) as built_at,'
            ~ ' unix_micros(mark.replaced_at) as replaced_at from ' ~ ref('row_states')
            ~ " where marked_unit <> ''"
        ).rows %}
            {% do marks.append({
                'table_id': row['marked_unit'],
                'source': row['source'],
                'names': fromjson(row['names'] or '[]'),
                'built_at': row['built_at'] | int,
                'replaced_at': (row['replaced_at'] or 0) | int,
            }) %}
        {% endfor %}
        {% do run.update({'state_marks': marks}) %}
    {% endif %}
    {{ return(run.get('state_marks', [])) }}
{% endmacro %}


{#-
  The tables of a source whose states were folded anew after a model last read them, as literals of
  their ids: a statement may have given their rows another name, or taken it back.
-#}
{% macro replaced_tables(source, read) %}
    {% set replaced = [] %}
    {% for mark in onelog.state_marks() if mark.source == source and mark.replaced_at > read %}
        {% do replaced.append(onelog.text_literal(mark.table_id)) %}
    {% endfor %}
    {{ return(replaced) }}
{% endmacro %}


{#-
  By source and name of a table: the newest run that wrote states of its rows. Under a source alone:
  the newest that folded states of it anew, or wrote some whose names are not known.
-#}
{% macro state_news() %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if execute and 'state_news' not in run %}
        {% set news = {} %}
        {% for mark in onelog.state_marks() %}
            {% for name in mark.names or [none] %}
                {% set key = (mark.source, name) %}
                {% do news.update({key: [news.get(key, 0), mark.built_at] | max}) %}
            {% endfor %}
            {% set key = (mark.source, none) %}
            {% do news.update({key: [news.get(key, 0), mark.replaced_at] | max}) %}
        {% endfor %}
        {% do run.update({'state_news': news}) %}
    {% endif %}
    {{ return(run.get('state_news', {})) }}
{% endmacro %}
