{#-
  New rows at or below the greatest position that is built of their unit's line may have come
  before: the range of their positions, and the sources of their units. Units that are replaced are
  read whole anyway.
-#}
{% macro stamped_looks_back(meta, plan) -%}
    select
        count(*) as units,
        min(arrivals.least_position) as from_position,
        max(arrivals.greatest_position) as to_position,
        to_json(array_distinct(flatten(collect_list(arrivals.sources)))) as sources
    from {{ ref(meta.arrivals) }} as arrivals
    inner join (
        select marked_unit as unit, mark.* from {{ this }}
        where marked_unit <> ''
    ) as known on arrivals.unit = known.unit
    where
        arrivals.built_at > {{ plan.read_to }}
        {% if plan.recounted %}
        and arrivals.unit not in ({{ plan.recounted | join(', ') }})
        {% endif %}
        and arrivals.least_line_position <= known.reach[arrivals.line]
{%- endmacro %}
