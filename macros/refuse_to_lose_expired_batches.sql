{#-
  Fails where events are to be built anew while messages have expired: the table of events alone
  still holds what they said.
-#}
{% macro refuse_to_lose_expired_batches(advice) %}
    {% set expired = run_query(
        "select count(distinct batch) from " ~ source('bronze', 'rewrites')
        ~ " where cause = 'expire'"
    ).columns[0][0] %}
    {% if expired %}
        {% do exceptions.raise_compiler_error(
            'the messages of ' ~ expired ~ ' batches have expired and are gone from bronze: '
            ~ advice
        ) %}
    {% endif %}
{% endmacro %}
