{#-
  The vendor's operation. A QUERY that brings no statement gets a code of its own, as the seed gives
  one meaning to a code: without a statement it is a control event, with one it is DDL.
-#}
{% macro query_operation(operation, statement) -%}
    if(
        {{ operation }} = 'QUERY' and {{ statement }} is null,
        'QUERY_WITHOUT_STATEMENT',
        {{ operation }}
    )
{%- endmacro %}
