{#-
  Fails where resolve.events would be built anew while messages have expired: only that table still
  holds what they said.
-#}
{% macro refuse_to_lose_expired_batches() %}
    {% set expired = run_query(
        "select count(distinct batch) from " ~ source('bronze', 'rewrites')
        ~ " where cause = 'expire'"
    ).columns[0][0] %}
    {% if expired %}
        {% do exceptions.raise_compiler_error(
            'the messages of ' ~ expired ~ ' batches have expired and are gone from bronze: '
            ~ 'resolve.events alone still holds what they said, and would lose it. All that is'
            ~ ' built on it can be rebuilt: dbt run --full-refresh --exclude events.'
        ) %}
    {% endif %}
{% endmacro %}
