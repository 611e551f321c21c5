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
