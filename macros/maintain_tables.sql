{#-
  Puts small files together, and deletes what only old versions need, of the tables that have many
  of these: a look at the tables' logs tells, without a query.
-#}
{% macro maintain_tables() %}
    {% if execute and flags.WHICH in ('run', 'build') %}
        {% for line in modules.onelog.maintained() %}
            {% do log(line, info=true) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
