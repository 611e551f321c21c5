{#-
  The condition of the earlier rows that new rows replace (`meta.supersedes`: the column of their
  id): halves that waited, not the repeats and rejected messages that have the same id. Where this
  takes back what an earlier row did, the mark of the name says replaced, so that its states are
  folded anew: in a table without a key, which counts copies, and where the earlier row touched a
  state that the new one does not, or was a pair with another half.
-#}
{% macro stamped_superseded(due_sql, plan) -%}
    {%- set meta = model.config.meta -%}
    {%- set id, unit = meta.supersedes, meta.unit -%}
    {%- set late_units = plan.late | map(attribute='unit') | list -%}
    {%- set found = run_query(
        'select news.' ~ id ~ ' as id, news.' ~ unit ~ ' as unit,'
        ~ ' bool_or(news.key is null or size(array_except('
        ~ 'array_compact(array(earlier.state_id, earlier.previous_state_id)),'
        ~ ' array(news.state_id, news.previous_state_id))) > 0'
        ~ ' or size(array_except(earlier.messages, news.messages)) > 0) as is_taken_back'
        ~ ' from (' ~ due_sql ~ ') as news left join ' ~ this ~ ' as earlier'
        ~ ' on news.' ~ id ~ ' = earlier.' ~ id ~ ' and earlier.supersedes is not null'
        ~ ' and ' ~ listed('earlier.' ~ unit, late_units)
        ~ ' where news.supersedes group by 1, 2'
    ).rows -%}
    {%- set ids = [] -%}
    {%- for row in found -%}
        {%- do ids.append(text_literal(row['id'])) -%}
        {%- if row['is_taken_back'] -%}
            {%- do plan.recounted.append(text_literal(row['unit'])) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if ids -%}
        supersedes is not null and {{ id }} in ({{ ids | join(', ') }})
    {%- endif -%}
{%- endmacro %}
