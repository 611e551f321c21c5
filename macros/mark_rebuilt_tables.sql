{#-
  Marks the tables whose rows of the log are taken out or came anew: what has been folded of them is
  rebuilt. Of each cause: its name, the table that brings it, the rows of the log that it concerns.
-#}
{% macro mark_rebuilt_tables(causes) %}
    {% if is_incremental() %}
    insert into {{ source('bronze', 'rebuilt_tables').render() }}
    {% for cause, changes, condition in causes %}
    {{ 'union all' if not loop.first }}
    select distinct
        resolved.name_id,
        resolved.table_id,
        current_timestamp() as rebuilt_at,
        '{{ cause }}' as cause,
        resolved_events_to_batch as batch
    from {{ this }} as resolved
    inner join {{ changes }} as changed on {{ condition }}
    where resolved.class in ('change', 'rejected')
    {% endfor %}
    {% endif %}
{% endmacro %}
