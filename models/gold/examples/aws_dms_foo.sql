with changed as (

    {{ changed_rows(source='aws_dms', database_name=none, schema_name='public', table_name='foo') }}

),

typed as (

    select
        *,
        {{ typed_int('age') }} as age,
        {{ typed_text('attributes') }} as attributes,
        {{ typed_int('id') }} as id,
        {{ typed_text('name') }} as name
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
