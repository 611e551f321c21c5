{#-
  The units for which a run has something to do: new units, units with new rows, units whose stamp
  has changed as far as it bears on built rows, and units that are gone. Beside today's columns:
  what the mark that is to be renewed says.
-#}
{% macro stamped_changes(meta, read_to) -%}
    with known as (
        select marked_unit as unit, mark.* from {{ this }}
        where marked_unit <> ''
    ),

    compared as (
        select
            today.* except (unit),
            coalesce(today.unit, known.unit) as unit,
            today.unit is null as is_gone,
            known.stamp is null as is_new,
            today.unit is not null
            and known.stamp is not null
            and {{ bearing_pieces('today.stamp', read_to) }}
            <> {{ bearing_pieces('known.stamp', read_to) }} as is_changed,
            coalesce(today.first_built_at <= {{ read_to }}, true) as has_old_rows,
            coalesce(today.built_at > {{ read_to }}, false) as has_news,
            known.reach as known_reach,
            known.since,
            known.replaced_at
        from {{ ref(meta.units) }} as today
        full outer join known on today.unit = known.unit
        where today.unit is not null or known.stamp is not null
    )

    select
        *,
        (is_new and has_old_rows) or is_changed as is_whole
    from compared
    where is_gone or is_new or is_changed or has_news
{%- endmacro %}


{#-
  The kept changes as a plan reads them. New rows at or below the greatest position that is built of
  their unit's line may have come before, also in another form of the envelope: from and to which
  position.
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


{#- The pieces of a stamp that bear on the rows that are built of the unit. -#}
{% macro bearing_pieces(stamp, read_to) -%}
    array_sort(transform(
        filter({{ stamp }}, piece ->
            coalesce(piece.since <= {{ read_to }}, true)
            and (
                piece.line is null
                or coalesce(
                    piece.from_position <= known.reach[piece.line],
                    map_contains_key(known.reach, piece.line)
                )
            )
        ),
        piece -> struct(piece.line, piece.from_position, piece.hash)
    ))
{%- endmacro %}
