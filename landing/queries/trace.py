"""A row's whole story: every change of it in the log's order, and why it is as it is."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from landing.envelopes import fields_of
from landing.errors import UserError
from landing.queries import effects
from landing.queries.built import require_built
from landing.queries.positions import in_words
from landing.queries.shown import cell
from landing.queries.story import Found, Step, listed, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = "Settings, messages and statements say which table a name means, and what its key is."
CHANGES = "The row's changes, the greatest position last; the position decides, not the arrival."

# A table may be asked for by each name that it has or had, with or without what its messages may
# leave out.
TABLES = """
with names as (
    select
        source,
        name_id,
        schema_name,
        table_name,
        key_columns,
        explode(array_distinct(
            array(database_name, newest_database, database_identity)
        )) as database_name,
        array_distinct(spans.table_id) as tables
    from resolve.facts
    where
        marked_unit is null
        and table_name is not null
),
renamed as (
    select
        get_json_object(table_id, '$[0]') as source,
        table_id,
        concat_ws('.', present_name.database_name, present_name.table_name) as name,
        concat_ws(
            '.', present_name.database_name, present_name.schema_name, present_name.table_name
        ) as long_name
    from resolve.table_effects
    where present_name is not null
)
select distinct
    source,
    table_id,
    name
from names
    lateral view explode(tables) as table_id
    lateral view explode(array(
        concat_ws('.', database_name, table_name),
        concat_ws('.', database_name, schema_name, table_name)
    )) as name
union
select source, table_id, name from renamed
union
select source, table_id, long_name from renamed
"""
# `wanted` is a JSON object of texts: each of its columns is in the key or, without a key, in the
# row. The states are fewer than the effects, but lack the content of rows that a floor ended. A
# state without a position has no change any more.
STATES_THEN_EFFECTS = (
    "(select * from resolve.row_states where log_position is not null)",
    "gold.row_effects",
)
ROWS = """
with wanted as (
    select map_entries(from_json(:columns, 'map<string,string>')) as columns
),
images as (
    select
        state_id,
        table_id,
        key,
        row,
        concat_ws('.', database_name, table_name) = :name
        or concat_ws('.', database_name, schema_name, table_name) = :name as is_called_so,
        coalesce(key, row) as known_by
    from {images}
    where array_contains(:tables, table_id)
)
select
    state_id,
    any_value(table_id) as table_id,
    any_value(key) as key,
    any_value(row) as row,
    any_value(is_called_so) as is_called_so
from images
cross join wanted
where
    state_id = :bare
    or (size(key) = 1 and map_values(key)[0] = :bare)
    or (size(wanted.columns) > 0 and forall(
        wanted.columns,
        item -> array_contains(map_keys(known_by), item.key) and known_by[item.key] <=> item.value
    ))
group by state_id
order by is_called_so desc, state_id
limit 100
"""
NAMES = """
select distinct
    name_id,
    key_columns,
    concat_ws('.', database_name, schema_name, table_name) as name
from resolve.facts
where
    marked_unit is null
    and table_name is not null
    and exists(spans, span -> span.table_id = :table_id)
"""


def trace(spark: "SparkSession", source: str, name: str, key: str) -> list[Step]:
    """The steps of a row's story. ``key`` is as the command takes it.

    Raises :class:`UserError` for a source, table or row that is not known, and for a key that
    several rows have.
    """
    require_built(spark, "gold.row_effects")
    row = _row(spark, _tables(spark, source, name), source, name, key)
    return list(_steps(spark, row["table_id"], row["state_id"]))


def key_of(text: str) -> dict[str, str | None] | None:
    """The columns of a key that is written as a JSON object, in source text; None for another.

    Numbers keep their digits; what is nested is its JSON text.
    """
    try:
        fields = fields_of(text.encode())
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return {name: _source_text(bytes(value)) for name, value in fields.items()}


def _source_text(value: bytes) -> str | None:
    return msgspec.json.decode(value) if value[:1] in (b'"', b"n") else value.decode()


def _tables(spark: "SparkSession", source: str, name: str) -> list[str]:
    """The ids of the tables that have or had this name."""
    known = rows_of(spark, f"select * from ({TABLES}) order by source, name")
    of_source = [table for table in known if table["source"] == source]
    if not of_source:
        sources = listed(dict.fromkeys(table["source"] for table in known))
        raise UserError(f"no source is called {source!r}; sources: {sources}")
    found = sorted({table["table_id"] for table in of_source if table["name"] == name})
    if not found:
        names = listed(dict.fromkeys(table["name"] for table in of_source))
        raise UserError(f"the source {source!r} has no table {name!r}; tables: {names}")
    return found


def _row(spark: "SparkSession", tables: list[str], source: str, name: str, key: str) -> Found:
    """The one row that has the key; of several, one of the table that is called so now."""
    asked = {"tables": tables, "name": name, "bare": key, "columns": json.dumps(key_of(key) or {})}
    found: list[Found] = []
    for images in STATES_THEN_EFFECTS:
        found = found or rows_of(spark, ROWS.format(images=images), **asked)
    if not found:
        raise UserError(f"{name} of {source!r} has no row {key}; {_how_to_name(spark, tables)}")
    called_so = [row for row in found if row["is_called_so"]] or found
    if len(called_so) > 1:
        rows = listed((f"{row['state_id']} {cell(row['key'] or row['row'])}" for row in found), 3)
        raise UserError(f"several rows have {key}: name one by its state_id: {rows}")
    return called_so[0]


def _how_to_name(spark: "SparkSession", tables: list[str]) -> str:
    """What KEY may be in a table."""
    keys = {
        ", ".join(row["key_columns"] or [])
        for table_id in tables
        for row in rows_of(spark, NAMES, table_id=table_id)
    }
    named = " or ".join(sorted(keys - {""}))
    if named:
        return f"its key: {named}"
    return "it has no key: give a JSON object with columns of the row, or a state_id"


def _steps(spark: "SparkSession", table_id: str, state_id: str) -> Iterator[Step]:
    found = effects.effects_on(spark, table_id, [state_id])
    state = effects.states_of(spark, table_id, [state_id]).get(state_id)
    if state is None or not found:
        raise UserError("gold is not built as far as the log: run dbt run")
    statements = effects.statements_on(spark, table_id=table_id)
    known = effects.Known.of(found, statements)
    yield Step("table", TABLE, [_table(spark, table_id, state, found[-1]), *statements])
    yield Step("changes", CHANGES, list(_changes(found, state, known)))
    yield Step("row", effects.RULE, [_made_of(state, found, known)])


def _table(spark: "SparkSession", table_id: str, state: Found, last: Found) -> Found:
    names = rows_of(spark, NAMES, table_id=table_id)
    origins = effects.key_origins(spark, [name["name_id"] for name in names])
    is_named = any(name["key_columns"] for name in names)
    columns = list(state["key"]) if is_named and state["key"] else None
    return {
        "table": last["table"],
        "names_in_messages": sorted({name["name"] for name in names}),
        "key_columns": effects.key_in_words(
            columns, state["key"], next(filter(None, origins.values()), None)
        ),
        "table_id": table_id,
    }


def _changes(found: list[Found], state: Found, known: effects.Known) -> Iterator[Found]:
    """Each change with what it altered in the row as it stood there, and each floor."""
    before: dict[str, Any] = {}
    for number, effect in enumerate(found):
        after = _row_after(effect, before)
        yield {
            "change": effects.change_in_words(effect),
            "event_at": effect["event_at"],
            "position": in_words(effect["position"], effect["topic"]),
            "does": effects.done(effect),
            "columns": None if effect["key"] is None else _altered(before, after),
            "counts": effects.counts(effect, state, known),
            "change_id": effect["change_id"],
            "log_position": effect["position"],
        }
        before = after
        floor = effect["floor_position"]
        if floor is not None and floor not in _floors(found[number + 1 : number + 2]):
            yield {
                "change": known.floor(floor),
                "event_at": effect["floor_at"],
                "does": "ends the row",
                "log_position": floor,
            }
            before = {}


def _floors(found: list[Found]) -> list[str | None]:
    return [effect["floor_position"] for effect in found]


def _row_after(effect: Found, before: dict[str, Any]) -> dict[str, Any]:
    """The row that a change leaves of the one before it."""
    if not effect["is_image"]:
        return {}
    return effect["row"] if effect["is_base"] else before | effect["row"]


def _altered(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The columns that a change altered, from and to which value; what had none has no "from"."""
    return {
        name: {word: row[name] for word, row in (("from", before), ("to", after)) if name in row}
        for name in sorted(before.keys() | after.keys())
        if name not in before or name not in after or before[name] != after[name]
    }


def _made_of(state: Found, found: list[Found], known: effects.Known) -> Found:
    """The row as it is, and which changes it is made of."""
    set_by = {name: known.change(at) for name, at in (state["set_at"] or {}).items()}
    is_keyed = state["key"] is not None
    return {
        "key": state["key"],
        **effects.row_now(state, found, known),
        "base": (known.change(state["base_position"]) or "none came") if is_keyed else None,
        "columns_set_above_it": set_by or None,
        "state_id": state["state_id"],
    }
