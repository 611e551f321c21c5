{#-
  A piece of a stamped model's text that only some units need (`parts` of the units' view): a run
  leaves it out where none of them is due.
-#}
{% macro part(name) -%}
    /* part: {{ name }} */
    {{ caller() }}
    /* end of part: {{ name }} */
{%- endmacro %}
