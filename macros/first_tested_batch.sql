{#-
  The least batch that tests of the log look at: `tested_batches` says how many of the newest ones
  they do, and what was joined into these counts too. A literal, by which Spark prunes files. Asked
  for once a command.
-#}
{% macro first_tested_batch() -%}
    {%- if not (execute and flags.WHICH in ('test', 'build')) -%}
        {{ return(1) }}
    {%- endif -%}
    {%- set run = modules.onelog.run(invocation_id) -%}
    {%- if 'first_tested_batch' not in run -%}
        {%- set batches = source('bronze', 'batches') -%}
        {%- set newest = run_query('select max(batch) from ' ~ batches).columns[0][0] or 0 -%}
        {%- set first = newest | int - var('tested_batches') | int + 1 -%}
        {%- set joined = run_query(
            'select min(batch) from ' ~ batches ~ ' where joined_into >= ' ~ first
        ).columns[0][0] -%}
        {%- set first = [first, joined | int if joined is not none else first] | min -%}
        {%- do run.update({'first_tested_batch': first}) -%}
    {%- endif -%}
    {{ return(run.first_tested_batch) }}
{%- endmacro %}
