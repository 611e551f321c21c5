{#- One declared source table as `create table`; its location is relative to the database's. -#}
{% macro external_table_ddl(source) %}
    create table if not exists bronze.{{ source.name }} (
        {% for column in source.columns.values() %}
        `{{ column.name }}` {{ column.data_type }}{{ ',' if not loop.last }}
        {% endfor %}
    )
    using {{ source.external.using }}
    {% if source.external.using == 'json' %}
    -- Number text stays exact only with a single-character line end, no encoding option, and limits
    -- above the longest number, string and nesting.
    options (
        'lineSep' = '\n',
        'maxNumLen' = '2000000000',
        'maxStringLen' = '2000000000',
        'maxNestingDepth' = '5000',
        'columnNameOfCorruptRecord' = '_corrupt_record'
    )
    partitioned by ({{ source.external.partitions | map(attribute='name') | join(', ') }})
    location '{{ source.external.location }}'
    {% endif %}
{% endmacro %}
