{#-
  The rows and the marks that a run writes. Few go into one file, or two: a file for each branch of
  a union cost more than its rows, in this run and in each that reads the table.
-#}
{% macro stamped_written(rows_sql, marks_sql) -%}
    {%- set run = modules.onelog.run(invocation_id) -%}
    select {{ '/*+ coalesce(' ~ run.tasks ~ ') */' if not run.has_many }} *
    from (
        {{ stamped_with_marks(rows_sql, marks_sql) }}
    )
{%- endmacro %}


{#- The rows, if any, and the marks. -#}
{% macro stamped_with_marks(rows_sql, marks_sql) -%}
    {% if rows_sql %}
    {{ stamped_rows(rows_sql) }}
    union all
    {% endif %}
    {{ marks_sql }}
{%- endmacro %}
