-- One row per table: what statements did to its rows, when the changes of its names were last
-- replaced, and the names that its rows have now.

with names as (

    select
        marked_unit as name_id,
        meant.table_id,
        mark.since,
        mark.replaced_at,
        built_at
    from {{ ref('changes') }}
        lateral view explode(mark.about) meant as table_id
    where marked_unit <> ''

),

tables as (

    select
        table_id,
        collect_list({{ stamp_piece('name_id, replaced_at', since='since') }}) as pieces,
        sort_array(collect_set(from_json(name_id, 'array<string>')[3])) as table_names,
        min(since) as first_built_at,
        max(built_at) as built_at
    from names
    group by table_id

)

select
    tables.table_id as unit,
    concat(
        {{ whole_stamp(
            'table_effects.present_name, table_effects.floors, table_effects.column_changes'
        ) }},
        tables.pieces
    ) as stamp,
    cast(null as map<string, string>) as reach,
    if(
        table_effects.present_name is null,
        tables.table_names,
        array(table_effects.present_name.table_name)
    ) as about,
    array() as parts,
    array(tables.table_id) as sources,
    cast(null as bigint) as messages,
    tables.first_built_at,
    tables.built_at
from tables
left join {{ ref('table_effects') }} as table_effects on tables.table_id = table_effects.table_id
