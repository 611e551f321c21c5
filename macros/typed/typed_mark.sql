{#-
  What a typed model is built of: the tables that it reads, the run up to which resolve.row_states
  has them, and the hashes of its code and of all that makes its text; none for a model that reads
  anything else.
-#}
{% macro typed_mark(sql) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set states = (run.get('models') or {}).get('row_states') %}
    {% set tables = run.get('typed_tables', {}).get(model.unique_id) %}
    {% set others = model.depends_on.nodes | reject(
        'in', ['model.onelog.row_states', 'model.onelog.mention_names']
    ) | list %}
    {% if not states or not tables or others or flags.EMPTY
        or config.get('incremental_strategy') != 'merge' %}
        {{ return(none) }}
    {% endif %}
    {# The text but for which rows are read: at first the live ones, then those of later runs. #}
    {{ return({
        'tables': tables,
        'read_to': states.built_at,
        'code': local_md5(model.raw_code),
        'text': local_md5(
            modules.re.sub(
                'row_states[.](is_live|built_at > timestamp_micros[(][0-9]+[)])', '', sql
            ) ~ tojson([model.config, model.columns])
        ),
    }) }}
{% endmacro %}


{#- The mark with which a typed model was built; none where it is not known. -#}
{% macro known_typed_mark() %}
    {% if is_incremental() %}
        {{ return(modules.onelog.remembered_mark(
            this | string, load_cached_relation(this).information
        )) }}
    {% endif %}
{% endmacro %}


{#- Keeps the mark with which a typed model is built, with the commit that has its rows. -#}
{% macro remember_typed_mark(mark) %}
    {# A model that the run has made is not listed yet. #}
    {% set listed_as = load_cached_relation(this).information
        or 'Location: ' ~ run_query('describe detail ' ~ this).rows[0]['location'] %}
    {% do modules.onelog.remember_mark(
        this | string, modules.onelog.newest_commit(listed_as), mark
    ) %}
{% endmacro %}


{#- Whether a typed model that was built with a mark would read something now. -#}
{% macro has_typed_news(known) %}
    {% set news = onelog.state_news() %}
    {% set newest = [] %}
    {% for table in known.tables %}
        {% do newest.append(news.get((table.source, table.table_name), 0)) %}
        {% do newest.append(news.get((table.source, none), 0)) %}
    {% endfor %}
    {{ return(newest | max > known.read_to or onelog.states_are_rebuilt(known.read_to)) }}
{% endmacro %}
