{{
    config(
        meta={
            'units': 'statement_units',
            'unit': 'batch',
            'reads': 'batch',
            'unit_is_number': true,
        }
    )
}}
{{- units([ref('statement_units')]) }}
-- The messages that bring statements, each with what its text does and its place among the rows of
-- its topic.

with due as (

    select * from {{ ref('due_statements') }}

),

{% call part('anchored') %}
anchored as (

    select
        batch,
        topic,
        partition,
        offset,
        envelope,
        event_at,
        time_zone,
        split_part(position, ' ', 2) as second
    from due
    where
        statement_anchor is not null
        and unique_id is null

),

-- A statement without a number stands right after the greatest row that its partition brought
-- before it: a row of the statement's own second, or one that is not later and whose number tells
-- no second or a later one, as OMS makes numbers "during the synchronization process".
rows_before as (

    select
        anchored.topic,
        anchored.partition,
        anchored.offset,
        max(substr(numbered.position, 3)) as position_parts
    from {{ ref('events') }} as numbered
    inner join anchored
        on
            numbered.topic = anchored.topic
            and numbered.partition = anchored.partition
            and numbered.offset < anchored.offset
            and numbered.envelope = anchored.envelope
            and if(
                numbered.statement_anchor = 'time'
                or split_part(numbered.position, ' ', 2) = '0'
                or split_part(numbered.position, ' ', 2) > anchored.second,
                {{ utc_timestamp(
                    'numbered.event_time', 'numbered.event_time_unit', 'anchored.time_zone'
                ) | indent(16) }} <= anchored.event_at,
                split_part(numbered.position, ' ', 2) = anchored.second
            )
    where
        numbered.marked_unit is null
        and numbered.unique_id is not null
    group by
        anchored.topic,
        anchored.partition,
        anchored.offset

),
{% endcall %}

placed as (

    select
        due.* except (position),
        coalesce(
            {% call part('anchored') %}
            -- The row's parts, but for the last two: each has its own place in the topic.
            if(
                rows_before.position_parts is null,
                null,
                concat_ws(
                    ' ',
                    left(due.position, 1),
                    regexp_replace(rows_before.position_parts, '( [^ ]+){2}$', ''),
                    substring_index(due.position, ' ', -2)
                )
            ),
            {% endcall %}
            due.position
        ) as position
    from due
    {% call part('anchored') %}
    left join rows_before
        on
            due.topic = rows_before.topic
            and due.partition = rows_before.partition
            and due.offset = rows_before.offset
    {% endcall %}

),

parsed as (

    select
        *,
        parse_ddl(statement_text, lower(database_type)) as read_text,
        parse_table_changes(table_changes) as read_changes
    from placed

)

select
    batch,
    topic,
    partition,
    offset,
    row_index,
    received_at,
    envelope,
    mention,
    line,
    position,
    is_backfill,
    content_hash,
    unique_id,
    event_time,
    event_time_unit,
    transaction_id,
    database_type,
    operation,
    statement_text as statement,
    if(
        read_text is null and read_changes is null,
        null,
        named_struct(
            'statements', concat(
                coalesce(read_text.statements, array()), coalesce(read_changes.statements, array())
            ),
            'parse_error', coalesce(read_text.parse_error, read_changes.parse_error)
        )
    ) as parsed
from parsed
