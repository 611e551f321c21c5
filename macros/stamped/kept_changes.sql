{#-
  The kept units that have something to do, as a plan reads them. New rows at or below the greatest
  position that is built of their unit's line may have come before, also in another form of the
  envelope: `from_position` and `to_position` say between which positions.
-#}
{% macro kept_changes(meta, read_to) -%}
    {% if meta.arrivals %}
    with late as (
        select
            arrivals.unit,
            min(arrivals.least_position) as from_position,
            max(arrivals.repeated_to_position) as to_position
        from {{ ref(meta.arrivals) }} as arrivals
        inner join kept_units on arrivals.unit = kept_units.unit
        where
            arrivals.built_at > {{ read_to }}
            and exists(
                map_entries(kept_units.known_reach),
                built -> {{ without_envelope('built.key') }}
                = {{ without_envelope('arrivals.line') }}
                and built.value >= arrivals.least_line_position
            )
        group by arrivals.unit
    )

    {% endif %}
    select
        kept_units.unit,
        is_new,
        is_gone,
        is_changed,
        is_whole,
        to_json(coalesce(sources, array())) as sources,
        to_json(coalesce(parts, array())) as parts,
        {% if meta.arrivals %}
        late.from_position,
        late.to_position,
        {% endif %}
        messages
    from kept_units
    {% if meta.arrivals %}
    left join late on kept_units.unit = late.unit
    {% endif %}
{%- endmacro %}


{#- A line's own name, the same in all envelopes. -#}
{% macro without_envelope(line) -%}
    regexp_replace({{ line }}, '^[^ ]+', '')
{%- endmacro %}
