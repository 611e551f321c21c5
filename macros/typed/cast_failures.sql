{#-
  The columns whose text did not fit: array of (column_name, value), each once, however many columns
  show it. A column of another name than the source's, or of the name of one that every typed model
  has, says so in the model's YAML: `config: {meta: {source_column: …}}`.
-#}
{% macro cast_failures() -%}
    {%- set checks, typed = [], {} -%}
    {%- if execute -%}
        {%- for column in model.columns.values() -%}
            {%- set shown = column.config.meta.source_column -%}
            {%- if shown is string or column.name not in modules.onelog.OWN_COLUMNS -%}
                {%- do typed.setdefault(shown if shown is string else column.name, [])
                    .append(column.name ~ " is null") -%}
            {%- endif -%}
        {%- endfor -%}
        {%- for name in model.get('typed_columns', []) | unique(true) -%}
            {%- if name not in typed -%}
                {%- do exceptions.raise_compiler_error(
                    "no column of " ~ model.name ~ "'s contract shows the source's column "
                    ~ tojson(name) ~ ": give the one that does config: {meta: {source_column: …}}"
                ) -%}
            {%- endif -%}
            {%- set text, literal = onelog.row_text(name), onelog.text_literal(name) -%}
            {%- do checks.append(
                "if(" ~ text ~ " is not null and (" ~ typed[name] | join(" or ") ~ "), struct("
                ~ literal ~ " as column_name, " ~ text ~ " as value), null)"
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    cast(
        array_compact(array({{ checks | join(',\n        ') }}))
        as array<struct<column_name: string, value: string>>
    )
{%- endmacro %}
