-- Messages that could not be read as what they claim to be, whole, with the reason. They are judged
-- anew when a setting of their topic changes: one that it explains leaves by itself.

with rejected as (

    select distinct
        topic,
        message.partition,
        message.offset,
        batch,
        envelope,
        reason
    from {{ ref('resolved_events') }}
        lateral view explode(messages) as message
    where class = 'rejected'

),

messages as (

    select * from {{ source('bronze', 'messages') }}

),

quarantined as (

    select
        rejected.*,
        coalesce(messages.raw, messages.message) as message,
        -- Spark's reader says only that a field has a wrong type: which one is looked up here, in
        -- these few messages. A variant holds no number of any length; types need no digits.
        if(
            rejected.reason = {{ wrong_type() }},
            try_parse_json(regexp_replace(messages.message, '[0-9]{19,}', '0')),
            null
        ) as parsed
    from rejected
    left join messages
        on
            rejected.envelope = messages.envelope
            and rejected.batch = messages.batch
            and rejected.topic = messages.topic
            and rejected.partition = messages.partition
            and rejected.offset = messages.offset

),

-- Objects and arrays, as the sources' YAML declares them; of an array also what its items are.
declared as (

    select
        *,
        case envelope
            {%- if execute %}
            {%- for source in graph.sources.values() if 'message' in source.columns %}
            {%- set fields = modules.onelog.nested_fields(source.columns.message.data_type) %}
            {%- if fields %}
            when '{{ source.name }}'
                then array(
                    {%- for path, type, item_type in fields %}
                    struct(
                        '{{ path }}' as path,
                        '{{ type }}' as type,
                        {{ "'" ~ item_type ~ "'" if item_type else 'cast(null as string)' }}
                            as item_type
                    ){{ ',' if not loop.last }}
                    {%- endfor %}
                )
            {%- endif %}
            {%- endfor %}
            {%- endif %}
        end as declared_fields
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
        reason
    ) as reason,
    message
from compared
