-- One row per meant event, with the key of the row that it leaves or deletes, the key of the row
-- that it replaces, and the reason for which its message is in quarantine.

select
    *,
    case
        when rejection is not null then rejection
        when named_class is null
            then concat('unknown operation ', coalesce(operation_code, 'NULL'))
        when named_class <> 'change' then null
        when table_name is null
            then 'no table name: name it in seeds/topics.csv for this topic'
        when
            coalesce(before_values, after_values) is not null
            and column_names is null
            then concat(
                'no column list for ',
                concat_ws('.', database_name, table_name),
                ': land its CREATE TABLE, or name its columns in seeds/table_columns.csv'
            )
        when array_size(before_values) <> array_size(column_names)
            then {{ wrong_number_of_values('before_values') }}
        when array_size(after_values) <> array_size(column_names)
            then {{ wrong_number_of_values('after_values') }}
        when if(named_operation = 'delete' or image = 'before', before, after) is null
            then concat(named_operation, ' without an image')
    end as reason,
    case
        when reason is not null then 'rejected'
        when is_repeat then 'repeat'
        else named_class
    end as class,
    if(is_backfill and named_class = 'change', 'read', named_operation) as operation,
    case
        -- OMS Default gives the key's values apart, also where the image lacks the columns.
        when
            size(key_entries) < size(table_key_columns)
            and size(key_values) = size(table_key_columns)
            and coalesce(sort_array(key_columns) = sort_array(table_key_columns), true)
            then map_from_arrays(coalesce(key_columns, table_key_columns), key_values)
        when size(key_entries) > 0 then map_from_entries(key_entries)
        when row_id is not null then map('row_id', row_id)
    end as key,
    -- A before image may hold only the columns that changed. So the old key is the new key with
    -- the before image's values laid over it.
    if(
        after is not null and size(array_except(before_key_entries, key_entries)) > 0,
        map_concat(key, map_from_entries(before_key_entries)),
        null
    ) as previous_key
from {{ ref('meant_events') }}
