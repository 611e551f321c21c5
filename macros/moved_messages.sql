{#-
  The condition for messages that a reroute has moved since silver.events read them, with their
  batches as literals, by which Spark prunes; empty for none.
-#}
{% macro moved_messages() %}
    {%- if execute and load_relation(source('bronze', 'rewrites')) -%}
        {%- set moves = run_query(
            "select topic, array_join(sort_array(collect_set(batch)), ', ') from "
            ~ source('bronze', 'rewrites')
            ~ " where topic is not null and read_at is null group by topic"
        ) -%}
        {%- for topic, batches in moves.rows -%}
            {{ 'or ' if not loop.first -}}
            (topic = {{ text_literal(topic) }} and batch in ({{ batches }}))
        {% endfor -%}
    {%- endif -%}
{% endmacro %}
