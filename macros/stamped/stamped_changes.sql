{#-
  The units for which a run has something to do: new units, units with new rows, units whose stamp
  has changed as far as it bears on built rows, and units that are gone. New rows at or below the
  greatest position that is built of their unit's line may have come before, also in another form of
  the envelope: from and to which position.
-#}
{% macro stamped_changes(meta, read_to) -%}
    with known as (
        select marked_unit as unit, mark.* from {{ this }}
        where
            marked_unit <> ''
            and mark.stamp is not null
    ),

    {% if meta.arrivals %}
    late as (
        select
            arrivals.unit,
            min(arrivals.least_position) as from_position,
            max(arrivals.repeated_to_position) as to_position
        from {{ ref(meta.arrivals) }} as arrivals
        inner join known on arrivals.unit = known.unit
        where
            arrivals.built_at > {{ read_to }}
            and exists(
                map_entries(known.reach),
                built -> {{ without_envelope('built.key') }}
                = {{ without_envelope('arrivals.line') }}
                and built.value >= arrivals.least_line_position
            )
        group by arrivals.unit
    ),
    {% endif %}

    compared as (
        select
            coalesce(today.unit, known.unit) as unit,
            today.unit is null as is_gone,
            known.unit is null as is_new,
            today.unit is not null
            and known.unit is not null
            and {{ bearing_pieces('today.stamp', read_to) }}
            <> {{ bearing_pieces('known.stamp', read_to) }} as is_changed,
            coalesce(today.first_built_at <= {{ read_to }}, true) as has_old_rows,
            coalesce(today.built_at > {{ read_to }}, false) as has_news,
            coalesce(today.sources, array()) as sources,
            coalesce(today.parts, array()) as parts,
            today.messages
        from {{ ref(meta.units) }} as today
        full outer join known on today.unit = known.unit
    )

    select
        compared.unit,
        is_gone,
        is_changed,
        (is_new and has_old_rows) or is_changed as is_whole,
        to_json(sources) as sources,
        to_json(parts) as parts,
        {% if meta.arrivals %}
        late.from_position,
        late.to_position,
        {% endif %}
        messages
    from compared
    {% if meta.arrivals %}
    left join late on compared.unit = late.unit
    {% endif %}
    where is_gone or is_new or is_changed or has_news
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
