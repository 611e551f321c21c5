{#-
  A condition that is always true, and that Spark cannot foresee. A CTE that has it is computed once
  for all its readers, behind a shuffle. Any other one is planned and computed for each of them.
-#}
{% macro computed_once() -%}
    rand() >= 0
{%- endmacro %}
