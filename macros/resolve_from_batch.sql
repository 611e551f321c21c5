{#- Declares the variable that holds the last batch which a model has resolved. -#}
{% macro resolve_from_batch(model_name) %}
    declare or replace variable {{ model_name }}_from_batch bigint default 0
{% endmacro %}


{#- Sets it; 0 (everything anew) on a full refresh and where settings have changed since. -#}
{% macro set_resolve_from_batch(model_name) %}
    {% if is_incremental() %}
    set variable {{ model_name }}_from_batch = (
        select coalesce(
            if(max(changes.changed_at) > max(resolved.resolved_at), 0, max(resolved.batch)), 0
        )
        from {{ source('bronze', 'resolved_batches') }} as resolved
        left join {{ ref('settings_changes') }} as changes on true
    )
    {% endif %}
{% endmacro %}
