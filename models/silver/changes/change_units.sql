-- One row per name of a table: what its rows are resolved with, in pieces; how far each of its
-- lines goes; and which tables its rows belong to.

with names as (

    select
        name_id,
        collect_list({{ stamp_piece(
            'mention, database_name, table_name, time_zone, moved_at',
            since='if(moved_at is null, first_built_at, null)'
        ) }}) as pieces,
        any_value(spans) as spans,
        any_value(is_positional) as is_positional,
        if(bool_or(has_halves), array('halves'), array()) as parts,
        -- Two topics may carry the same table: new rows may repeat what any mention brought.
        sort_array(collect_list(mention)) as sources,
        if(max(moved_at) is null, min(first_built_at), null) as first_built_at
    from {{ ref('facts') }}
    where marked_unit is null
    group by name_id

),

lines as (

    select
        unit as name_id,
        line,
        any_value(line_start) as line_start,
        max({{ line_position('greatest_position') }}) as greatest_position,
        min(built_at) as since,
        max(built_at) as built_at,
        coalesce(min(least_line_position) < '1', false) as has_backfill
    from {{ ref('change_arrivals') }}
    group by
        unit,
        line

),

-- A line uses its own spans; without any, those that all lines share.
meant as (

    select
        lines.*,
        filter(names.spans, span -> span.line <=> if(
            exists(names.spans, other -> other.line = lines.line), lines.line, null
        )) as spans,
        names.is_positional,
        has_backfill
        or not exists(names.spans, span -> span.line <=> lines.line) as is_by_time
    from lines
    inner join names on lines.name_id = names.name_id

),

line_pieces as (

    select
        name_id,
        flatten(collect_list(
            transform(
                -- A span that means the same for the rows as the one before it is no piece.
                filter(sequence(0, size(spans) - 1), place -> place = 0 or not (
                    spans[place].table_id = spans[place - 1].table_id
                    and spans[place].key_columns <=> spans[place - 1].key_columns
                    and (
                        not is_positional
                        or spans[place].column_names <=> spans[place - 1].column_names
                    )
                )),
                place -> {{ stamp_piece(
                    'spans[place].table_id, spans[place].key_columns, '
                    ~ 'if(is_positional, spans[place].column_names, null), line_start, '
                    ~ 'if(is_by_time, spans[place].from_at, null)',
                    line='line',
                    from_position='if(is_by_time, null, spans[place].from_position)',
                    since='since'
                ) }}
            )
        )) as pieces,
        -- ' 3' is above every kind: a statement at the position of the greatest row is below that
        -- row.
        map_from_entries(collect_list(struct(line, concat(greatest_position, ' 3')))) as reach,
        max(built_at) as built_at
    from meant
    group by name_id

)

select
    names.name_id as unit,
    concat(names.pieces, line_pieces.pieces) as stamp,
    line_pieces.reach,
    array_distinct(transform(names.spans, span -> span.table_id)) as about,
    names.parts,
    names.sources,
    cast(null as bigint) as messages,
    names.first_built_at,
    line_pieces.built_at
from names
inner join line_pieces on names.name_id = line_pieces.name_id
