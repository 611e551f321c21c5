{#- Lets readers see the batches whose repeats and split updates are now known. -#}
{% macro mark_resolved_batches() %}
    insert into {{ source('bronze', 'resolved_batches').render() }}
    select
        current_timestamp() as resolved_at,
        max(batch) as batch
    from {{ ref('events') }}
    having
        max(batch) > (
            select coalesce(max(batch), 0) from {{ source('bronze', 'resolved_batches') }}
        )
        or (select max(changed_at) from {{ ref('settings_changes') }})
        > (select max(resolved_at) from {{ source('bronze', 'resolved_batches') }})
{% endmacro %}
