{#-
  Lets bronze show the rewrites of its batches (reroute, expire, join) that a killed command left:
  each partition takes its new location, or goes, before any model reads bronze.
-#}
{% macro complete_rewrites() %}
    {% if execute %}
        {% do modules.onelog.complete_rewrites() %}
    {% endif %}
{% endmacro %}
