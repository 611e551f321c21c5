{#-
  The vendor's operation; a QUERY that brings no statement gets a code of its own, because the seed
  gives one meaning to a code: it is a mark in the log, a QUERY with a statement is that statement.
-#}
{% macro query_operation(operation, statement) -%}
    if(
        {{ operation }} = 'QUERY' and {{ statement }} is null,
        'QUERY_WITHOUT_STATEMENT',
        {{ operation }}
    )
{%- endmacro %}
