{#-
  A time just after the last run that the model has rows of, as a literal: Spark prunes files by
  literals, and by no subquery. Each call queries the model's table.
-#}
{% macro last_read() -%}
    timestamp_micros({{ onelog.last_read_micros() }})
{%- endmacro %}


{#- The same as a number of microseconds since 1970; of 1970 where it has no row yet. -#}
{% macro last_read_micros() %}
    {% if not (execute and is_incremental()) %}
        {{ return(0) }}
    {% endif %}
    {% set micros = run_query(
        'select coalesce(unix_micros(max(built_at)), 0) from ' ~ this
    ).columns[0].values() %}
    {{ return(onelog.just_after(micros[0] | int)) }}
{% endmacro %}
