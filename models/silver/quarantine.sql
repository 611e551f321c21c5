-- Messages that could not be read as what they claim to be, whole, with the reason. A run judges
-- them anew when settings or statements of their table change: a message that they explain leaves
-- by itself.

with rejected as (

    select distinct
        topic,
        message.partition,
        message.offset,
        batch,
        envelope,
        reason
    from {{ ref('changes') }}
        lateral view explode(messages) as message
    where class = 'rejected'

),

quarantined as (

    select
        rejected.*,
        coalesce(messages.raw, messages.message) as message,
        -- Spark's reader says only that a field has a wrong type. Which field it is, is looked up
        -- here, in these few messages. A variant cannot hold a number of any length; as only types
        -- are compared, digits may go.
        if(
            rejected.reason = {{ wrong_type() }},
            try_parse_json(regexp_replace(messages.message, '[0-9]{19,}', '0')),
            null
        ) as parsed
    from rejected
    left join {{ source('bronze', 'batches') }} as batches on rejected.batch = batches.batch
    left join {{ source('bronze', 'messages') }} as messages
        on
            rejected.envelope = messages.envelope
            and coalesce(batches.joined_into, rejected.batch) = messages.batch
            and rejected.topic = messages.topic
            and rejected.partition = messages.partition
            and rejected.offset = messages.offset

),

declared as (

    select
        *,
        {{ declared_fields('envelope') if execute else 'null' }} as declared_fields
    from quarantined

),

compared as (

    select
        *,
        flatten(transform(declared_fields, field -> concat(
            array(struct(
                substr(field.path, 3) as path,
                field.type as declared,
                {{ json_type('variant_get(parsed, field.path)') | indent(16) }} as sent
            )),
            coalesce(
                transform(
                    try_variant_get(parsed, field.path, 'array<variant>'),
                    (item, place) -> struct(
                        concat(substr(field.path, 3), '[', place, ']') as path,
                        field.item_type as declared,
                        {{ json_type('item') | indent(24) }} as sent
                    )
                ),
                array()
            )
        ))) as fields
    from declared

)

select
    topic,
    partition,
    offset,
    batch,
    envelope,
    coalesce(
        nullif(
            array_join(
                transform(
                    slice(filter(fields, field -> field.sent <> field.declared), 1, 3),
                    field -> concat(field.path, ' is ', field.sent, ', not ', field.declared)
                ),
                '; '
            ),
            ''
        ),
        -- The reason may quote what the message says, of any length.
        left(reason, 500)
    ) as reason,
    message
from compared
