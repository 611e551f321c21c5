{#-
  The columns whose text did not fit: array of (column_name, value). A column of another name than
  the source's says so in the model's YAML: `config: {meta: {source_column: …}}`.
-#}
{% macro cast_failures() -%}
    {%- set checks, typed = [], {} -%}
    {%- if execute -%}
        {%- for column in model.columns.values() if column.name != 'cast_failures' -%}
            {%- set shown = column.config.meta.source_column -%}
            {%- do typed.update({shown if shown is string else column.name: column.name}) -%}
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
                "if(" ~ text ~ " is not null and " ~ typed[name] ~ " is null, struct("
                ~ literal ~ " as column_name, " ~ text ~ " as value), null)"
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ onelog.failure_array(checks) }}
{%- endmacro %}
