{#-
  The time just after the last run up to which a typed model has read a table, in microseconds. Its
  rows alone do not tell: a delete leaves none. A model that was edited goes by them. `condition`:
  SQL by which it knows the table's rows.
-#}
{% macro read_to_micros(source, table_name, condition) %}
    {% if execute %}
        {% set table = {'source': source, 'table_name': table_name, 'condition': condition} %}
        {% set run = modules.onelog.run(invocation_id) %}
        {% do run.setdefault('typed_tables', {}).setdefault(model.unique_id, []).append(table) %}
        {% set known = onelog.known_typed_mark() %}
        {{ return(
            onelog.just_after(known.read_to)
            if known and table in known.tables and known.code == local_md5(model.raw_code)
            else onelog.last_read_micros()
        ) }}
    {% else %}
        {{ return(0) }}
    {% endif %}
{% endmacro %}
