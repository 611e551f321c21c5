-- One row per name of a table, with the database that its newest message names. Some messages of a
-- table name its database, some do not (Datastream's Oracle).

select distinct
    name_id,
    newest_database
from {{ ref('facts') }}
where marked_unit is null
