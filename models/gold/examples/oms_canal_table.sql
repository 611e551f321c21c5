with changed as (

    {{ changed_rows(source='oms_canal', database_name='database', table_name='table') }}

),

typed as (

    select
        *,
        {{ typed_datetime('col1') }} as col1,
        {{ typed_text('col2') }} as col2,
        {{ typed_double('col3') }} as col3,
        {{ typed_double('col4') }} as col4,
        {{ typed_int('col5') }} as col5,
        {{ typed_time('col6') }} as col6,
        {{ typed_int('col7') }} as col7,
        {{ typed_bigint('col8') }} as col8,
        {{ typed_binary('col9') }} as col9,
        {{ typed_int('col10') }} as col10,
        {{ typed_date('col11') }} as col11,
        {{ typed_text('col12') }} as col12,
        {{ typed_decimal('col13', 20, 0) }} as col13,
        {{ typed_timestamp('col14') }} as col14
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
