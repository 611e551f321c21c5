{#-
  An event's place in its database's log, told by the fields, as `connector` may be lacking; NULL
  where it is not complete. MySQL: the numeric suffix of mysql-bin.000123, the offset, the row.
  SQL Server: two log numbers and a serial number. Oracle: a change counts where it commits, as that
  is what a snapshot saw of it. PostgreSQL: the log number. MongoDB: a time and its ordinal.
-#}
{% macro debezium_coordinates() -%}
    case
        when event.source.file rlike '[.][0-9]+$' and event.source.pos rlike '^[0-9]+$'
            then array(
                regexp_substr(event.source.file, '[0-9]+$'),
                event.source.pos,
                {{ whole_number('event.source.row') }}
            )
        when event.source.lsn rlike '^[0-9]+$' then array(event.source.lsn)
        when event.source.commit_lsn rlike '^[0-9A-Fa-f]+:'
            then concat(
                {{ hex_parts('event.source.commit_lsn', ':') | indent(16) }},
                {{ hex_parts('event.source.change_lsn', ':') | indent(16) }},
                array({{ whole_number('event.source.event_serial_no') }})
            )
        when coalesce(event.source.commit_scn, event.source.scn) rlike '^[0-9]+$'
            then concat(
                array(coalesce(event.source.commit_scn, event.source.scn), event.source.scn),
                {{ hex_parts("replace(trim(event.source.rs_id), '0x', '')", '.') | indent(16) }},
                array({{ whole_number('event.source.ssn') }})
            )
        when event.source.ord rlike '^[0-9]+$' and event.source.ts_ms rlike '[1-9]'
            then array({{ whole_number('event.source.ts_ms') }}, event.source.ord)
    end
{%- endmacro %}
