{#-
  An event's place in its database's log, found by the fields, as `connector` may be lacking; NULL
  where there is none. MySQL: the numeric suffix of mysql-bin.000123, the offset, the row. SQL
  Server: two log numbers and a serial number. Oracle: a change counts from its commit, as a
  snapshot sees it from there on. PostgreSQL: the log number. MongoDB: a time and its ordinal.
-#}
{% macro debezium_coordinates() -%}
    case
        when source.file rlike '[.][0-9]+$' and source.pos rlike '^[0-9]+$'
            then array(
                regexp_substr(source.file, '[0-9]+$'),
                source.pos,
                {{ whole_number('source.row') }}
            )
        when source.lsn rlike '^[0-9]+$' then array(source.lsn)
        when source.commit_lsn rlike '^[0-9A-Fa-f]+:'
            then concat(
                {{ hex_parts('source.commit_lsn', ':') | indent(16) }},
                {{ hex_parts('source.change_lsn', ':') | indent(16) }},
                array({{ whole_number('source.event_serial_no') }})
            )
        when coalesce(source.commit_scn, source.scn) rlike '^[0-9]+$'
            then concat(
                array(coalesce(source.commit_scn, source.scn), source.scn),
                {{ hex_parts("replace(trim(source.rs_id), '0x', '')", '.') | indent(16) }},
                array({{ whole_number('source.ssn') }})
            )
        when source.ord rlike '^[0-9]+$' and source.ts_ms rlike '^[1-9][0-9]*$'
            then array(
                {{ epoch_micros('source.ts_ms', "'magnitude'") | indent(16) }},
                source.ord
            )
    end
{%- endmacro %}
