-- One row per table that statements are about: the floors below which its rows are not live, the
-- changes of its columns, and the name that it has now. Among the changes of columns are the DROPs
-- of the table, as changes above a DROP do not concern the rows below it.

with identified as (

    select
        {{ table_id('source', 'replayed.identity') }} as table_id,
        -- Rows may have come under another name also where the first one is the present one again.
        replayed.present as present_name,
        filter(replayed.effects, effect -> effect.action = 'floor') as floors,
        filter(
            replayed.effects,
            effect -> effect.action in ('add', 'drop', 'rename')
            or (effect.action = 'floor' and effect.value = 'drop')
        ) as column_changes,
        filter(replayed.effects, effect -> effect.action = 'modify') as type_changes
    from {{ ref('replays') }}
        lateral view explode(replay.tables) as replayed

)

select *
from identified
where
    present_name is not null
    or size(floors) > 0
    or size(column_changes) > 0
    or size(type_changes) > 0
