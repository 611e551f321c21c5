{#-
  Fails where dbt would replace a table that holds history without being told to: its listing of
  relations can fail quietly, and the model then counts as new.
-#}
{% macro refuse_silent_replacement() %}
    {% set is_known = modules.onelog.run(invocation_id).models.get(model.name) %}
    {% if not is_known and not should_full_refresh() %}
        {% set found = run_query(
            "show tables in " ~ this.schema ~ " like '" ~ this.identifier ~ "'"
        ) %}
        {% if found | length %}
            {% do exceptions.raise_compiler_error(
                this ~ ' exists, but dbt did not see it and would replace it with its history.'
                ~ ' Run again or, to build the table anew, say --full-refresh.'
            ) %}
        {% endif %}
    {% endif %}
{% endmacro %}
