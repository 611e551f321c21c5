{#-
  Fails for a home that an earlier version built, unless this is a full refresh: bronze is the same,
  and a full refresh builds all the rest. Where messages have expired it fails as well, as only the
  earlier table of events still holds what they said.
-#}
{% macro refuse_earlier_version() %}
    {% set resolved = api.Relation.create(schema='silver', identifier='resolved_events') %}
    {% if execute
        and flags.WHICH in ('run', 'build')
        and (load_relation(resolved) or modules.onelog.run(invocation_id).is_of_earlier)
    %}
        {% if not flags.FULL_REFRESH %}
            {% do exceptions.raise_compiler_error(
                'an earlier version of onelog built this home: run dbt run --full-refresh once, '
                ~ 'which builds all of it anew from bronze'
            ) %}
        {% endif %}
        {% do refuse_to_lose_expired_batches(
            'an earlier version of onelog built this home, and only its silver.events still holds'
            ~ ' what they said, which this version cannot read. Keep this home with that version,'
            ~ ' and land into another one from here on.'
        ) %}
        {% do drop_earlier_version() %}
    {% endif %}
{% endmacro %}


{#- Drops the tables that an earlier version stored and this one does not. -#}
{% macro drop_earlier_version() %}
    {% set silver = [
        'repeats', 'split_updates', 'named_tables', 'ddl_events', 'ddl_statements', 'ddl_replays',
        'name_spans', 'table_effects', 'settings_changes', 'named_events', 'line_starts',
        'table_settings', 'events', 'resolved_events',
    ] %}
    {% set tables = ['gold.row_states', 'bronze.rebuilt_tables', 'bronze.resolved_batches'] %}
    {% for name in silver %}
        {% do tables.insert(0, 'silver.' ~ name) %}
    {% endfor %}
    {% for name in tables | reverse %}
        {% set schema, identifier = name.split('.') %}
        {% set relation = load_relation(
            api.Relation.create(schema=schema, identifier=identifier)
        ) %}
        {% if relation %}
            {% do adapter.drop_relation(relation) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
