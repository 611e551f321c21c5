-- One row per table of seeds/table_columns.csv: its columns in order, and which of them are its
-- key.

with ordered as (

    select
        source,
        database_name,
        table_name,
        sort_array(collect_set(struct(ordinal, column_name, data_type, is_key))) as listed
    from {{ ref('table_columns') }}
    group by
        source,
        database_name,
        table_name

)

select
    source,
    database_name,
    table_name,
    transform(
        listed, item -> struct(item.column_name, item.data_type, item.is_key)
    ) as columns,
    listed.column_name as column_names,
    filter(listed, item -> item.is_key).column_name as key_columns
from ordered
