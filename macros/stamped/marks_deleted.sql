{#-
  Whether a run that replaces rows of a table marks them as deleted (deletion vectors), in place of
  writing their files anew: it does so in a large one, of which Delta's log tells the size without a
  query. A table keeps the property; a small one goes without, as Delta lists the files of a table
  that has it three times for each scan.
-#}
{% macro marks_deleted(relation) %}
    {% set detail = run_query('describe detail ' ~ relation).rows[0] %}
    {% set is_large = detail['sizeInBytes'] | int > 16 * 1024 * 1024 %}
    {% if is_large and 'enableDeletionVectors' not in detail['properties'] | string %}
        {% do run_query(
            'alter table ' ~ relation
            ~ " set tblproperties ('delta.enableDeletionVectors' = 'true')"
        ) %}
    {% endif %}
    {{ return(is_large) }}
{% endmacro %}
