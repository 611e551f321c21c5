{#-
  A condition: the rows of the model's source that the run reads. In the first build, these are all
  rows; later, the rows that are newer than the marks, and those of units that are read whole.
  `part` is one of the `parts` of the units' view: the condition is false where no due unit has it.
  The materialization puts the run's condition in the place of this text.
-#}
{% macro is_due(part='') -%}
    (1 = 1 /* due: {{ part }} */)
{%- endmacro %}


{#-
  A condition: whether any due unit has this part. It switches off a query that reads more than what
  is due.
-#}
{% macro is_any_due(part) -%}
    (1 = 1 /* any due: {{ part }} */)
{%- endmacro %}


{#- A condition: the rows built before that new rows at or below them may repeat or complete. -#}
{% macro looks_back() -%}
    (1 = 0 /* looked back at */)
{%- endmacro %}


{#- A condition: the model's own rows of the units that are replaced. -#}
{% macro is_replaced() -%}
    (1 = 0 /* replaced */)
{%- endmacro %}


{#- A condition: the rows of the model's source that are newer than the marks. -#}
{% macro is_new() -%}
    (1 = 1 /* new */)
{%- endmacro %}
