{#-
  Marks the tables whose rows of the log, by this condition, are taken out or came anew: what has
  been folded of them is rebuilt.
-#}
{% macro mark_rebuilt_tables(cause, log, changes, condition) %}
    {% if is_incremental() %}
    insert into {{ source('bronze', 'rebuilt_tables').render() }}
    select distinct
        resolved.name_id,
        resolved.table_id,
        current_timestamp() as rebuilt_at,
        '{{ cause }}' as cause,
        resolved_events_to_batch as batch
    from {{ log }} as resolved
    inner join {{ changes }} as changed on {{ condition }}
    where resolved.class in ('change', 'rejected')
    {% endif %}
{% endmacro %}
