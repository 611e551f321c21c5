-- One row per version of a row of a table with a key, in the order of the source's log: each image,
-- and each delete with the row's last image, from when and until when it held. A floor adds no
-- version; it ends the versions below it.

{#- A long run of partial images is cut into stretches of so many, and these into longer ones: each
    version folds the images of its shortest stretch, and takes what the stretches before it came
    to, which is folded once a stretch. #}
{%- set stretches = {'stretch_16': 16, 'stretch_512': 512, 'stretch_16384': 16384} %}
{%- set longest_first = stretches | list | reverse | list %}
{%- set of_base = ['state_id', 'floor_position', 'base_number'] %}

with effects as (

    select *
    from {{ ref('row_effects') }}
    where key is not null

),

-- A version starts from the last base below it; partial images set their columns on it, in order.
-- Versions are numbered, and their bases counted, below each floor apart: a floor ends rows of
-- other lines by time, so those that it ends may stand among others.
numbered as (

    select
        *,
        is_base and not is_image as is_deleted,
        count_if(is_base) over same_floor as base_number,
        row_number() over same_floor as version_number,
        {% for stretch, length in stretches.items() %}
        row_number() over same_floor div {{ length }} as {{ stretch }},
        {% endfor %}
        lead(position) over same_floor as next_position,
        lead(event_at) over same_floor as next_at
    from effects
    window same_floor as (partition by state_id, floor_position order by position)

),

-- All these windows, and those below, share one order of the rows.
composed as (

    select
        *,
        {% for stretch in stretches %}
        lead(position) over (
            partition by {{ (of_base + longest_first[:loop.revindex]) | join(', ') }}
            order by {{ (longest_first[loop.revindex:] + ['position']) | join(', ') }}
        ) is null as ends_{{ stretch }},
        {% endfor %}
        collect_list(if(is_deleted, null, row)) over (
            partition by {{ (of_base + longest_first) | join(', ') }}
            order by position
        ) as images
    from numbered

),

folded as (

    select
        * except (images),
        if(size(images) = 1, images[0], {{ folded_images('images') | indent(8) }}) as row_so_far
    from composed

),

-- What came before a stretch within the next longer one, and in the end since the base. The first
-- stretch after a base has nothing before it, wherever it begins.
{% for stretch, length in stretches.items() %}
before_{{ stretch }} as (

    select
        *,
        if(
            version_number % {{ length }} = 0,
            collect_list(if(ends_{{ stretch }}, row_so_far, null)) over (
                partition by {{ (of_base + longest_first[:loop.revindex - 1]) | join(', ') }}
                order by {{ stretch }}
                range between unbounded preceding and 1 preceding
            ),
            null
        ) as rows_before
    from {{ 'folded' if loop.first else 'with_' ~ loop.previtem[0] }}

),

with_{{ stretch }} as (

    select
        * except (rows_before, row_so_far),
        coalesce(
            map_concat(
                first_value({{ folded_images('rows_before') | indent(16) }}) over (
                    partition by {{ (of_base + longest_first[:loop.revindex]) | join(', ') }}
                    order by {{ (longest_first[loop.revindex:] + ['position']) | join(', ') }}
                ),
                row_so_far
            ),
            row_so_far
        ) as row_so_far
    from before_{{ stretch }}

),

{% endfor %}
with_rows_before as (

    select
        *,
        lag(row_so_far) over (
            partition by state_id, floor_position
            order by position
        ) as row_before
    from with_{{ longest_first[0] }}

)

select
    with_rows_before.source,
    coalesce(with_rows_before.database_name, names.newest_database) as database_name,
    with_rows_before.schema_name,
    with_rows_before.table_name,
    with_rows_before.key,
    case
        when not is_deleted then row_so_far
        when size(row_before) > 0 then row_before
        else row
    end as row,
    state_id,
    1 as copies,
    is_deleted,
    next_position is null and floor_position is null as is_current,
    change_id,
    event_at,
    event_at as valid_from,
    coalesce(next_at, if(next_position is null, floor_at, null)) as valid_to,
    position as log_position,
    coalesce(next_position, floor_position) as end_position,
    value_encoding
from with_rows_before
left join {{ ref('names') }} as names on with_rows_before.table_id = names.name_id
