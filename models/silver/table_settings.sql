-- What seeds/table_columns.csv says of each table: its columns in order, and which are its key.

with table_columns as (

    select * from {{ ref('table_columns') }}

),

ordered as (

    select
        source,
        database_name,
        table_name,
        sort_array(collect_list(struct(ordinal, column_name, data_type, is_key))) as listed
    from table_columns
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
