{#-
  Which rows of a stamped model's source the run reads, as a condition: all in the first build, then
  those that are newer than the marks and those of units that are replaced. `part` names a part
  that only some units have (`parts` of the units' view); where no such unit is due, the condition
  is false.
  The materialization fills it in.
-#}
{% macro is_due(part='') -%}
    (1 = 1 /* due: {{ part }} */)
{%- endmacro %}


{#- The rows that were built before and may be repeated, or completed, by new ones below them. -#}
{% macro looks_back() -%}
    (1 = 0 /* looked back at */)
{%- endmacro %}


{#- The model's own rows of the units that are replaced. -#}
{% macro is_replaced() -%}
    (1 = 0 /* replaced */)
{%- endmacro %}


{#-
  The rows of the model's source that are newer than its marks, in whose states stored ones take
  part: none where the model is made whole, as it then has nothing stored.
-#}
{% macro is_new() -%}
    (1 = 0 /* new */)
{%- endmacro %}
