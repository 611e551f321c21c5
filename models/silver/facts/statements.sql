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

with statements as (

    select
        events.*,
        operation_codes.operation,
        mention_names.time_zone,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at
    from {{ ref('events') }} as events
    inner join {{ ref('operation_codes') }} as operation_codes
        on
            events.envelope = operation_codes.envelope
            and events.operation_code = operation_codes.operation_code
            and operation_codes.class = 'ddl'
    inner join {{ ref('mention_names') }} as mention_names
        on events.mention = mention_names.mention
    where
        events.marked_unit is null
        and events.rejection is null
        and {{ is_due() }}

),

-- The second at which a statement without a number stands; a local time needs the topic's zone.
zoned as (

    select
        * except (position),
        if(
            statement_anchor = 'local_second' and unique_id is null,
            regexp_replace(
                position,
                '^(.) [^ ]+',
                concat(
                    '$1 ',
                    {{ position_part('cast(unix_seconds(event_at) as string)') | indent(20) }}
                )
            ),
            position
        ) as position
    from statements

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
    from zoned
    where
        statement_anchor is not null
        and unique_id is null

),

-- A statement without a number stands right after the greatest row that its partition brought
-- before it: a row of the statement's own second or, where numbers tell no second, one that is not
-- later.
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
                numbered.statement_anchor = 'time' or split_part(numbered.position, ' ', 2) = '0',
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
        zoned.* except (position),
        coalesce(
            {% call part('anchored') %}
            -- The row's parts, but for the last two: each has its own place in the topic.
            if(
                rows_before.position_parts is null,
                null,
                concat_ws(
                    ' ',
                    left(zoned.position, 1),
                    regexp_replace(rows_before.position_parts, '( [^ ]+){2}$', ''),
                    substring_index(zoned.position, ' ', -2)
                )
            ),
            {% endcall %}
            zoned.position
        ) as position
    from zoned
    {% call part('anchored') %}
    left join rows_before
        on
            zoned.topic = rows_before.topic
            and zoned.partition = rows_before.partition
            and zoned.offset = rows_before.offset
    {% endcall %}

),

-- DataHub may send the text in `ddlMeta` alone.
read_statements as (

    select
        *,
        coalesce(nullif(statement, ''), ddl_meta_text(statement_meta)) as statement_text
    from placed

),

parsed as (

    select
        *,
        parse_ddl(statement_text, lower(database_type)) as read_text,
        parse_table_changes(table_changes) as read_changes
    from read_statements

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
