{#-
  Suits Spark's settings to the rows of the next queries. For a few thousand, Java's compiling takes
  longer than the work, and so does planning anew after each stage: expressions are interpreted, and
  a query is planned once, with one task a stage, or two. Without `is_planned_once` the planning is
  left to the profile. The rows of the log are wide (`is_wide`): the method that Spark makes of a
  whole stage is then too long for Java to compile. A merge of few rows into many
  (`joins_with_many`) takes what the profile says: a whole stage leaves most columns of the stored
  rows unread. Rows that are kept for good (`is_kept`) are the same each time that a merge reads
  them.
-#}
{% macro suit_settings(
    has_many, is_planned_once=true, is_wide=true, joins_with_many=false, is_kept=false
) %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% set tasks = 2 if run.get('messages', 0) > 2000 else 1 %}
    {% do run.update({'has_many': has_many, 'tasks': tasks}) %}
    {% do modules.onelog.override(is_wide if has_many else not joins_with_many, {
        'spark.sql.codegen.wholeStage': 'false',
    }) %}
    {% do modules.onelog.override(not has_many and not joins_with_many, {
        'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
    }) %}
    {% set is_planned_once = not has_many and not joins_with_many and is_planned_once %}
    {% do modules.onelog.override(is_planned_once, {
        'spark.sql.adaptive.enabled': 'false',
        'spark.sql.shuffle.partitions': tasks | string,
    }) %}
    {% do modules.onelog.override(is_kept, {
        'spark.databricks.delta.merge.materializeSource': 'none',
    }) %}
{% endmacro %}
