{#-
  Names the views of a stamped model's units in its text, so that they are built before it and stand
  in its lineage. They are read by the materialization.
-#}
{% macro units(views) -%}
{%- endmacro %}
