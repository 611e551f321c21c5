-- One row per mention: all that its rows need from outside their messages. `spans` says what the
-- table's name means along the log. Where it means one thing throughout, the row's own columns say
-- it.

with named as (

    select
        *,
        max(topic_key_columns) over (partition by name_id) as topic_key
    from {{ ref('mention_names') }}
    where marked_unit is null

),

-- The key of the settings belongs to the table: some messages of it name its database, or a tenant,
-- and some do not.
settled as (

    select
        named.name_id,
        max(struct(
            coalesce(table_settings.database_name, '') as database_name,
            table_settings.key_columns,
            table_settings.column_names
        )) as settings
    from named
    inner join {{ ref('table_settings') }} as table_settings
        on
            named.source = table_settings.source
            and named.table_name = table_settings.table_name
            and (
                named.database_name <=> table_settings.database_name
                or named.database_identity <=> table_settings.database_name
            )
    group by named.name_id

),

meant as (

    select
        named.*,
        case
            when size(settled.settings.key_columns) > 0 then settled.settings.key_columns
            else named.topic_key
        end as set_key,
        settled.settings.column_names,
        name_spans.spans
    from named
    left join {{ ref('name_spans') }} as name_spans on named.name_id = name_spans.name_id
    left join settled on named.name_id = settled.name_id

),

-- Without statements, the name means what the messages and the settings say.
spanned as (

    select
        * except (spans),
        coalesce(
            transform(spans, span -> named_struct(
                'line', span.line,
                'from_position', span.from_position,
                'from_at', span.from_at,
                'table_id', span.table_id,
                'column_names', span.column_names,
                'key_columns', case
                    when size(span.key_columns) > 0 then span.key_columns
                    -- The key of topics.csv, by the names that its columns have in the span.
                    when
                        set_key = topic_key
                        and size(set_key) > 0
                        and size(span.topic_key_columns) > 0
                        then span.topic_key_columns
                    when size(set_key) > 0 then set_key
                    -- Nothing names the key of a table that was dropped since: it takes that of
                    -- the next table.
                    else coalesce(
                        try_element_at(
                            filter(
                                spans,
                                other -> other.table_id = span.table_id
                                and other.line <=> span.line
                                and size(other.key_columns) > 0
                            ),
                            -1
                        ).key_columns,
                        set_key
                    )
                end
            )),
            array(named_struct(
                'line', cast(null as string),
                'from_position', cast(null as string),
                'from_at', cast(null as bigint),
                'table_id', name_id,
                'column_names', column_names,
                'key_columns', if(size(named_key) > 0, named_key, set_key)
            ))
        ) as spans
    from meant

)

select
    mention,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    database_identity,
    name_id,
    newest_database,
    time_zone,
    has_halves,
    is_positional,
    spans[0].table_id as table_id,
    spans[0].key_columns as key_columns,
    -- A plain name means one table with one key, of few columns: its rows need no spans.
    not is_positional
    and size(spans[0].key_columns) <= 4
    and size(array_distinct(
        transform(spans, span -> struct(span.table_id, span.key_columns))
    )) = 1 as is_plain,
    spans,
    line_starts,
    moved_at,
    first_built_at
from spanned
