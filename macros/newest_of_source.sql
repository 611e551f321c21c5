{#-
  The query by which `dbt source freshness` tells the age of an envelope's newest message: since it
  arrived or, with the variable `freshness_by: event_time`, since its source wrote it (heartbeats
  count). A table without messages is as fresh as can be: nobody waits for it.
-#}
{% macro newest_of_source() -%}
    {%- set by = var('freshness_by') -%}
    {%- if by == 'arrival' -%}
    select coalesce(max(landed_at), current_timestamp())
    from {{ source('bronze', 'batches') }}
    where exists(tables, fed -> fed.envelope = '{{ model.name }}' and fed.messages > 0)
    {%- elif by == 'event_time' -%}
    {#- dbt does not let a source refer to models. -#}
    select coalesce(max(event_at), current_timestamp())
    from {{ api.Relation.create(schema='resolve', identifier='changes') }}
    where envelope = '{{ model.name }}'
    {%- else -%}
        {%- do exceptions.raise_compiler_error(
            "freshness_by is '" ~ by ~ "': it can be arrival or event_time"
        ) -%}
    {%- endif -%}
{%- endmacro %}
