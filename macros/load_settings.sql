{#-
  Makes each seed's table from its CSV file where the file has changed: `dbt run` alone is enough.
-#}
{% macro load_settings() %}
    {% if execute %}
        {% for seed in graph.nodes.values() if seed.resource_type == 'seed' %}
            {% do load_seed(seed) %}
        {% endfor %}
    {% endif %}
{% endmacro %}


{#-
  A table whose file has not changed is left alone, unless `is_forced`. dbt gives no checksum for a
  file above 1 MiB, only its path: such a table is made each time.
-#}
{% macro load_seed(seed, is_forced=false) %}
    {% set table = 'settings.' ~ seed.name %}
    {% set checksum = seed.checksum.checksum %}
    {% set loaded = [] %}
    {% if load_relation(api.Relation.create(schema='settings', identifier=seed.name)) %}
        {% do loaded.extend(run_query(
            "show tblproperties " ~ table ~ " ('onelog.checksum')"
        ).columns[1].values()) %}
    {% endif %}
    {% if is_forced or seed.checksum.name == 'path' or checksum not in loaded %}
        {% do run_query(settings_csv_view(seed)) %}
        {% do run_query(settings_table(seed, table, checksum)) %}
    {% endif %}
{% endmacro %}


{% macro settings_csv_view(seed) %}
    create or replace temporary view settings_csv
    using csv
    options (
        path '{{ (seed.root_path ~ "/" ~ seed.original_file_path) | replace("'", "\\'") }}',
        header 'true',
        multiLine 'true',
        escape '"'
    )
{% endmacro %}


{% macro settings_table(seed, table, checksum) %}
    create or replace table {{ table }}
    using delta
    tblproperties ('onelog.checksum' = '{{ checksum }}')
    as
    select
        {% for name, type in seed.config.column_types.items() %}
        cast(nullif(trim(both ' \t\r' from {{ name }}), '') as {{ type }}) as {{ name }}
        {{- ',' if not loop.last }}
        {% endfor %}
    from settings_csv
{% endmacro %}
