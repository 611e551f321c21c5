{#- Whether any of these stored models has a row beside its marks. -#}
{% macro has_rows(relations) %}
    {% set queries = [] %}
    {% for relation in relations %}
        {% do queries.append(
            '(select 1 from ' ~ relation ~ ' where marked_unit is null limit 1)'
        ) %}
    {% endfor %}
    {{ return(run_query(queries | join(' union all ')).rows | length > 0) }}
{% endmacro %}
