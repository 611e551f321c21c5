{#-
  Lets Spark compile its expressions, or interpret them: for a few thousand rows, Java's compiling
  takes longer than the work. True restores what the profile says.
-#}
{% macro compile_expressions(is_worth_it) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if run.get('compiles') != is_worth_it %}
        {% for setting, value in [
            ('spark.sql.codegen.wholeStage', 'false'),
            ('spark.sql.codegen.factoryMode', 'NO_CODEGEN'),
        ] %}
            {% do run_query(
                'reset ' ~ setting if is_worth_it else 'set ' ~ setting ~ '=' ~ value
            ) %}
        {% endfor %}
        {% do run.update({'compiles': is_worth_it}) %}
    {% endif %}
{% endmacro %}
