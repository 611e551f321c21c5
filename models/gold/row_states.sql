{{
    config(
        tblproperties={
            'delta.dataSkippingStatsColumns': 'marked_unit,built_at,table_id,state_id',
        },
        meta={
            'units': 'state_units',
            'unit': 'table_id',
            'reads': 'table_id',
            'grows': true,
            'merge_key': 'state_id',
        },
    )
}}
{{- units([ref('state_units')]) }}
-- The state of every row that a table has or had. The fold does not depend on the order in which
-- changes come. A stored state reads like one more effect, so a run folds new effects with the
-- states of the rows that they touch. A table whose changes were replaced is folded from its whole
-- log.

{#- Columns that the effect with the greatest position gives to the state. #}
{%- set about_last = [
    'table_id',
    'source',
    'database_name',
    'schema_name',
    'table_name',
    'key',
    'log_position',
    'change_id',
    'event_at',
    'value_encoding',
    'column_types',
    'time_zone',
] %}
{#- Columns that an effect and a stored state share. #}
{%- set columns = ['state_id', 'base_position', 'is_base_live', 'copies'] + about_last %}
{#- Their values in the state of a row that a replaced table no longer has, where they differ. #}
{%- set of_gone = {
    'base_position': 'null',
    'is_base_live': 'false',
    'copies': 'if(copies is null, null, 0)',
    'log_position': 'null',
} %}

-- A small run computes the effects first, then the stored states that they meet, then the rest.
with kept_effects as (

    {% call computed_once('effects', 'few') %}
    select
        {{ columns | join(',\n        ') }},
        row_image,
        sets_columns,
        {{ is_new() }} and not {{ is_replaced() }} as meets_stored
    from {{ ref('row_effects') }}
    where {{ is_due() }}
    {% endcall %}

),

{% if is_stored() %}
kept_states as (

    {% call computed_once('states', 'few', among_many=true) %}
    select {{ bounded_broadcast('kept_effects') }} known.*
    from {{ this }} as known
    left semi join kept_effects
        on known.state_id = kept_effects.state_id and kept_effects.meets_stored
    where
        known.marked_unit is null
        and not {{ is_replaced() }}
    {% endcall %}

),
{% endif %}

effects as (

    select
        {{ columns | join(',\n        ') }},
        row_image,
        sets_columns,
        null as column_values
    from kept_effects
    {% if is_stored() %}
    union all
    select
        {{ columns | join(',\n        ') }},
        if(
            column_values is null and (is_base_live or copies is not null), row, base_row
        ) as row_image,
        false as sets_columns,
        column_values
    from kept_states
    union all
    -- A row that a replaced table no longer has gets a state that is not live, so that typed models
    -- delete the row.
    select
        {% for column in columns %}
        {{ of_gone.get(column, column) }} as {{ column }},
        {% endfor %}
        null as row_image,
        false as sets_columns,
        null as column_values
    from {{ this }}
    where
        marked_unit is null
        and {{ is_replaced() }}
    {% endif %}

),

{{ folded_effects('effects', about_last) }}

select
    state_id,
    base.base_position,
    coalesce(base.is_base_live, false) as is_base_live,
    -- Where no columns were set above the base, the base is the row itself.
    if(size(column_values) > 0, base.base_row, null) as base_row,
    if(size(column_values) > 0, column_values, null) as column_values,
    cast(copies as int) as copies,
    -- A partial image above the base makes the row live, also where its columns were dropped since.
    coalesce(
        base.is_base_live
        or (copies is null and last.log_position > coalesce(base.base_position, ''))
        or copies <> 0,
        false
    ) as is_live,
    case
        when size(column_values) > 0
            then map_concat(
                coalesce(base.base_row, cast(map() as map<string, string>)),
                transform_values(column_values, (name, write) -> write.value)
            )
        when is_live then coalesce(base.base_row, cast(map() as map<string, string>))
        else base.base_row
    end as row,
    last.*
from folded
