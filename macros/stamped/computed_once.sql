{#-
  The text of an ephemeral model that several others read where a run needs the part. Its rows are
  then computed before the rest, and kept: Spark would plan and compute the text once a reader.
-#}
{% macro computed_once(name, part) -%}
    /* part: {{ part }} */ /* once: {{ name }} */ /* end of part: {{ part }} */
    {{ caller() }}
    /* part: {{ part }} */ /* end of once */ /* end of part: {{ part }} */
{%- endmacro %}


{#- The model's text without what is computed once, which this computes. -#}
{% macro stamped_once(sql, plan) %}
    {% set texts = [sql] %}
    {% set marked = '(?s)/\\* once: (\\w+) \\*/(.*?)/\\* end of once \\*/' %}
    {% for name, text in modules.re.findall(marked, sql) %}
        {% set rows = kept_rows(name, stamped_filter(text, plan)) %}
        {% do texts.append(texts[-1] | replace(text, rows)) %}
    {% endfor %}
    {{ return(texts[-1]) }}
{% endmacro %}


{#- Keeps the rows of a query until the model is written; returns the SQL that reads them. -#}
{% macro kept_rows(name, sql) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% do modules.onelog.keep('kept_' ~ name, sql, are_few=not run.has_many) %}
    {{ return(' select * from kept_' ~ name ~ ' ') }}
{% endmacro %}
