{#-
  Makes each table of settings from its CSV file where the file has changed: `dbt run` alone is
  enough.
-#}
{% macro load_settings() %}
    {% if execute %}
        {% for seed in onelog.settings_seeds() %}
            {% do onelog.load_seed(seed) %}
        {% endfor %}
    {% endif %}
{% endmacro %}


{#- The seeds that onelog reads, in the order of their names. A project may have others. -#}
{% macro settings_seeds() %}
    {{ return(
        graph.nodes.values()
        | selectattr('resource_type', 'equalto', 'seed')
        | selectattr('schema', 'equalto', 'settings')
        | sort(attribute='name')
        | list
    ) }}
{% endmacro %}


{#-
  A table whose file has not changed is left alone, unless `is_forced`. dbt gives no checksum for a
  file above 1 MiB, only its path: such a table is made each time.
-#}
{% macro load_seed(seed, is_forced=false) %}
    {% set table = seed.schema ~ '.' ~ seed.alias %}
    {% set checksum = seed.checksum.checksum %}
    {% set loaded = [] %}
    {% if load_relation(api.Relation.create(schema=seed.schema, identifier=seed.alias)) %}
        {% do loaded.extend(run_query(
            "show tblproperties " ~ table ~ " ('onelog.checksum')"
        ).columns[1].values()) %}
    {% endif %}
    {% if is_forced or seed.checksum.name == 'path' or checksum not in loaded %}
        {% do run_query(onelog.settings_csv_view(seed)) %}
        {% do run_query(onelog.settings_table(seed, table, checksum)) %}
    {% endif %}
{% endmacro %}


{% macro settings_csv_view(seed) %}
    create or replace temporary view settings_csv
    using csv
    options (
        path {{ onelog.text_literal(seed.root_path ~ '/' ~ seed.original_file_path) }},
        -- A folder's name may look like a pattern.
        __globPaths__ 'false',
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
    {% set types = seed.config.column_types %}
    {% set others = run_query('select * from settings_csv limit 0').column_names
        | reject('in', types) | list %}
    select
        {% for name in (types | list) + others %}
        {% set type, quoted = types.get(name, 'string'), '`' ~ name | replace('`', '``') ~ '`' %}
        cast(nullif(trim(both ' \t\r' from {{ quoted }}), '') as {{ type }}) as {{ quoted }}
        {{- ',' if not loop.last }}
        {% endfor %}
    from settings_csv
{% endmacro %}
