{#-
  Whether a small model's text gives other rows than those that are stored. They are compared as
  texts, as maps cannot be compared. The new ones are kept for the table.
-#}
{% macro has_other_rows(sql) %}
    {% do suit_settings(has_many=false) %}
    {% do kept_rows('rows', sql) %}
    {% set text = "to_json(struct(*), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'))" %}
    {{ return(run_query(
        'select 1 from (select ' ~ text ~ ' as text, 1 as side from (select '
        ~ own_columns(model) | map(attribute='name') | join(', ') ~ ' from kept_rows)'
        ~ ' union all select ' ~ text ~ ', -1 from (select * except (built_at, marked_unit, mark)'
        ~ ' from ' ~ this ~ ' where marked_unit is null)'
        ~ ') group by text having sum(side) <> 0 limit 1'
    ).rows | length > 0) }}
{% endmacro %}
