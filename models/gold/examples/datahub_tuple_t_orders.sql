with changed as (

    {{ changed_rows(source='datahub_tuple', database_name='shop', table_name='t_orders') }}

),

typed as (

    select
        *,
        {{ typed_bigint('id') }} as id,
        {{ typed_text('name') }} as name
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
