{#- A data test's SQL: the messages of some topics in quarantine, by topic and reason. -#}
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
