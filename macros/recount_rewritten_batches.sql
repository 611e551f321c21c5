{#- Lets the rows of rewritten batches count what their tables hold now. -#}
{% macro recount_rewritten_batches() %}
    merge into bronze.batches as batches
    using (
        select
            batch,
            tables
        from bronze.rewrites
        where completed_at is null
    ) as rewrites
    on batches.batch = rewrites.batch
    when matched then update set
        tables = concat(
            filter(
                batches.tables,
                fed -> not exists(rewrites.tables, part -> part.envelope = fed.envelope)
            ),
            transform(
                filter(rewrites.tables, part -> part.messages > 0),
                part -> struct(part.envelope, part.messages)
            )
        )
{% endmacro %}
