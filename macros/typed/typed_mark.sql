{#-
  What a typed model is built of: the tables that it reads, the run up to which resolve.row_states
  has them, and the hash of all that makes its text; none for a model that reads anything else.
-#}
{% macro typed_mark(sql) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set tables = run.get('typed_tables', {}).get(model.unique_id) %}
    {% set others = model.depends_on.nodes | reject(
        'in', ['model.onelog.row_states', 'model.onelog.mention_names']
    ) | list %}
    {% set states = (run.get('models') or {}).get('row_states') %}
    {% if not tables or others or not states or flags.EMPTY %}
        {{ return(none) }}
    {% endif %}
    {{ return({
        'tables': tables,
        'read_to': states.built_at,
        'text': local_md5(
            modules.re.sub('timestamp_micros[(][0-9]+[)]', '', sql)
            ~ tojson([model.config, model.columns])
        ),
    }) }}
{% endmacro %}


{#- Whether a model whose mark was `known` would read nothing now. -#}
{% macro is_up_to_date(mark, known) %}
    {% set news = onelog.state_news() %}
    {% set newest = [0] %}
    {% for table in mark.tables %}
        {% do newest.append(news.get((table.source, table.table_name), 0)) %}
        {% do newest.append(news.get((table.source, none), 0)) %}
    {% endfor %}
    {{ return(
        known.text == mark.text
        and newest | max <= known.read_to
        and not onelog.states_are_rebuilt(known.read_to)
    ) }}
{% endmacro %}
