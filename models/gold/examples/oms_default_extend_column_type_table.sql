with changed as (

    {{ changed_rows(
        source='oms_default_extend_column_type',
        database_name='database',
        table_name='table'
    ) }}

),

typed as (

    select
        *,
        {{ typed_int('col1') }} as col1,
        {{ typed_int('col2') }} as col2,
        {{ typed_int('col3') }} as col3,
        {{ typed_bigint('col4') }} as col4,
        {{ typed_decimal('col5', 20, 0) }} as col5,
        {{ typed_double('col6') }} as col6,
        {{ typed_text('col7') }} as col7,
        {{ typed_text('col8') }} as col8,
        {{ typed_binary('col9') }} as col9,
        {{ typed_text('col10') }} as col10,
        {{ typed_date('col11') }} as col11,
        {{ typed_time('col12') }} as col12,
        {{ typed_datetime('col13') }} as col13,
        {{ typed_timestamp('col14') }} as col14
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
