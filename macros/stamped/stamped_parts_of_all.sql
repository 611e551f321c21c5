{#- The parts of a stamped model's text that its first build needs. -#}
{% macro stamped_parts_of_all(meta) %}
    {% set due = run_query(
        'select distinct explode(parts) from ' ~ ref(meta.units)
    ).columns[0].values() | list %}
    {{ return(due + (['repeats'] if meta.identity and has_repeats(meta, '1 = 1') else [])) }}
{% endmacro %}
