{#- A data test's SQL: what waits in quarantine of some topics, by topic and reason. -#}
{% macro quarantined_messages(condition) -%}
    select
        topic,
        reason,
        count(*) as messages,
        min(struct(partition, offset)) as first_message
    from {{ ref('quarantine') }}
    where {{ condition }}
    group by
        topic,
        reason
{%- endmacro %}
