{#-
  Sends a relation to every task where the run's batch bounds the relation. In a first build, and
  for millions of messages, Spark decides.
-#}
{% macro bounded_broadcast(relation) -%}
    {%- if is_stored() and modules.onelog.run(invocation_id).get('messages', 0) <= 1000000 -%}
    /*+ broadcast({{ relation }}) */
    {%- endif -%}
{%- endmacro %}
