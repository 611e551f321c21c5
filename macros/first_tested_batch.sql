{#-
  The least batch that tests of the messages look at: `tested_batches` says how many of the newest
  ones they do. A literal, by which Spark prunes files.
-#}
{% macro first_tested_batch() -%}
    {%- set newest = run_query(
        'select max(batch) from ' ~ source('bronze', 'batches')
    ).columns[0][0] if execute and flags.WHICH in ('test', 'build') -%}
    {{ (newest or 0) | int - var('tested_batches') | int + 1 }}
{%- endmacro %}
