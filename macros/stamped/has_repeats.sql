{#-
  Whether any two rows that a run reads or looks back at have one identity (`meta.identity`, a
  hash): of most traffic none has, and the part `repeats` of the model's text is left out.
-#}
{% macro has_repeats(meta, condition) %}
    {{ return(run_query(
        'select 1 from ' ~ ref(meta.source) ~ ' where marked_unit is null and (' ~ condition
        ~ ') group by ' ~ meta.identity ~ ' having count(*) > 1 limit 1'
    ).rows | length > 0) }}
{% endmacro %}
