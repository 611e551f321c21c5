{#-
  For columns that are doubles in the source. Too large is no infinity, too small no zero.
  The runs of digits give none back: on a long text that is no number, that took hours.
-#}
{% macro typed_double(column) -%}
    {%- set text = onelog.row_text(column) -%}
    case
        when {{ text }} in ('NaN', 'Infinity', '-Infinity') then cast({{ text }} as double)
        when
            {{ text }} rlike '^[+-]?([0-9]++\\.?[0-9]*+|\\.[0-9]+)([eE][+-]?[0-9]+)?$'
            and abs(cast({{ text }} as double)) < double('Infinity')
            and (cast({{ text }} as double) <> 0 or not {{ text }} rlike '^[+-]?[0.]*[1-9]')
            then cast({{ text }} as double)
    end
{%- endmacro %}
