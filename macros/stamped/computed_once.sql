{#-
  The text of a CTE, or of an ephemeral model, that a run which needs the part computes before the
  rest, and keeps as `kept_` and the name: Spark would plan and compute it once a reader. What comes
  later in the model reads it by that name. `among_many`: it looks for few rows in a stored table.
-#}
{% macro computed_once(name, part, among_many=false) -%}
    /* part: {{ part }} */ /* once: {{ name ~ (' among many' if among_many) }} */
    /* end of part: {{ part }} */
    {{ caller() }}
    /* part: {{ part }} */ /* end of once */ /* end of part: {{ part }} */
{%- endmacro %}


{#- The model's text without what is computed once, which this computes. -#}
{% macro stamped_once(sql, plan) %}
    {% set texts = [sql] %}
    {% set marked = '(?s)/\\* once: (\\w+)( among many)? \\*/(.*?)/\\* end of once \\*/' %}
    {% for name, among_many, text in modules.re.findall(marked, sql) %}
        {% if among_many %}
            {% do suit_settings(has_many=false, joins_with_many=plan.is_large) %}
        {% endif %}
        {% do texts.append(
            texts[-1] | replace(text, kept_rows(name, stamped_filter(text, plan)))
        ) %}
        {% if among_many %}
            {% do suit_settings(has_many=false) %}
        {% endif %}
    {% endfor %}
    {{ return(texts[-1]) }}
{% endmacro %}


{#- Keeps the rows of a query until the model is written; returns the SQL that reads them. -#}
{% macro kept_rows(name, sql) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% do modules.onelog.keep('kept_' ~ name, sql, are_few=not run.has_many) %}
    {{ return(' select * from kept_' ~ name ~ ' ') }}
{% endmacro %}
