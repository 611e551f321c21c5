with changed as (

    {{ changed_rows(
        source='oms_shareplex',
        database_name='mock_database',
        table_name='mock_table'
    ) }}

),

typed as (

    select
        *,
        {{ typed_datetime('col1') }} as col1,
        {{ typed_text('col2') }} as col2,
        {{ typed_text('col3') }} as col3,
        {{ typed_double('col4') }} as col4,
        {{ typed_text('col5') }} as col5,
        {{ typed_int('col6') }} as col6,
        {{ typed_time('col7') }} as col7,
        {{ typed_boolean('col8') }} as col8,
        {{ typed_text('col9') }} as col9,
        {{ typed_int('col10') }} as col10,
        {{ typed_bigint('col11') }} as col11,
        {{ typed_binary('col12') }} as col12,
        {{ typed_text('col13') }} as col13,
        {{ typed_int('col14') }} as col14,
        {{ typed_date('col15') }} as col15,
        {{ typed_text('col16') }} as col16,
        {{ typed_decimal('col17', 20, 0) }} as col17,
        {{ typed_timestamp('col18') }} as col18,
        {{ typed_text('col') }} as col
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
