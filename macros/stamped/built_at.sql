{#- The time of the run, which all its rows carry: greater than the time of any earlier run. -#}
{% macro built_at() -%}
    timestamp_micros({{ modules.onelog.run(invocation_id).get('built_at', 0) if execute else 0 }})
{%- endmacro %}


{#-
  Microseconds of a time behind a run and before any later one, as begin_run gives it. Delta knows
  the greatest time of a file by the millisecond and takes it for one more: a query for what is
  newer than this reads no file of the run itself.
-#}
{% macro just_after(run_time) -%}
    {{ return(run_time + 1000) }}
{%- endmacro %}
