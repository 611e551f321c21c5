{#-
  The tables of a source whose states were folded anew after a model last read them, as literals of
  their ids: a statement may have given their rows another name, or taken it back. The marks are
  asked once in a run.
-#}
{% macro replaced_tables(source, read) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if execute and 'replaced' not in run %}
        {% do run.update({'replaced': run_query(
            "select marked_unit, get_json_object(marked_unit, '$[0]') as source,"
            ~ ' unix_micros(mark.replaced_at) as replaced_at from ' ~ ref('row_states')
            ~ " where marked_unit <> '' and mark.replaced_at is not null"
        ).rows}) %}
    {% endif %}
    {% set replaced = [] %}
    {% for row in run.get('replaced', [])
        if row['source'] == source and row['replaced_at'] | int > read
    %}
        {% do replaced.append(onelog.text_literal(row['marked_unit'])) %}
    {% endfor %}
    {{ return(replaced) }}
{% endmacro %}
