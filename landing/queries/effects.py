"""What changes did to rows of gold, and which of them count: `explain` and `trace` tell it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from landing.queries.positions import in_words
from landing.queries.shown import cell, shown_cell
from landing.queries.story import Found, place, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULE = (
    "Of a row's changes, the base with the greatest position counts: a whole image or a delete. "
    "Partial images above it set the columns that they bring. Rows below a floor (TRUNCATE, DROP) "
    "are not live. In a table without a key, images add copies of their row, deletes take them."
)

STATES = """
select
    state_id,
    key,
    row,
    is_live,
    copies,
    regexp_replace(base_position, '^- ', '') as base_position,
    transform_values(column_values, (name, write) -> write.position) as set_at
from resolve.row_states
where
    marked_unit is null
    and table_id = :table_id
    and array_contains(:states, state_id)
"""

# An effect has its change's position or, for the row that the change removes, the one below.
EFFECTS = """
with touched as (
    select *
    from gold.row_effects
    where
        table_id = :table_id
        and (:states is null or array_contains(cast(:states as array<string>), state_id))
        and (:positions is null or array_contains(cast(:positions as array<string>), position))
),
changes as (
    select
        change_id,
        operation,
        topic,
        partition,
        offset,
        event_at,
        key as new_key,
        previous_key,
        previous_key_position,
        explode(array_compact(array(log_position, previous_key_position))) as position
    from silver.change_log
    where table_id = :table_id
)
select /*+ broadcast(touched) */
    touched.state_id,
    concat_ws('.', touched.database_name, touched.schema_name, touched.table_name) as table,
    touched.position,
    touched.key,
    touched.row,
    touched.is_base,
    touched.is_image,
    changes.change_id,
    changes.operation,
    changes.topic,
    changes.partition,
    changes.offset,
    changes.event_at,
    changes.new_key,
    changes.previous_key,
    touched.floor_position,
    touched.floor_at
from touched
inner join changes on touched.position = changes.position
order by touched.position
"""

# One row per name of a table. Its key is one list for all its messages.
KEYS = """
with named as (
    select
        facts.name_id,
        any_value(facts.source) as source,
        -- Settings are of the table, whichever of its messages names its database so.
        array_union(
            collect_set(coalesce(facts.database_name, '')),
            collect_set(coalesce(facts.database_identity, ''))
        ) as databases,
        any_value(facts.table_name) as table_name,
        any_value(mention_names.named_key) as by_messages
    from resolve.facts as facts
    inner join resolve.mention_names as mention_names on facts.mention = mention_names.mention
    where
        array_contains(:names, facts.name_id)
        and facts.marked_unit is null
        and mention_names.marked_unit is null
    group by facts.name_id
)
select
    named.name_id,
    case
        when size(named.by_messages) > 0 then 'the messages name them'
        -- Spans begin with the key of the settings.
        when exists(
            spans.spans,
            span -> size(span.key_columns) > 0
            and not coalesce(
                sort_array(span.key_columns) = sort_array(settings.key_columns), false
            )
        ) then 'a statement names them'
        when size(settings.key_columns) > 0 then 'seeds/table_columns.csv names them'
        else 'seeds/topics.csv names them'
    end as key_from
from named
left join resolve.name_spans as spans on named.name_id = spans.name_id
left join resolve.table_settings as settings
    on
        named.source = settings.source
        and array_contains(named.databases, coalesce(settings.database_name, ''))
        and named.table_name = settings.table_name
"""

# A table has another name from the first span that another name has for it.
STATEMENTS = """
with acts as (
    select table_id, act.action, act.column_name, act.new_name, act.value, act.position
    from resolve.table_effects
        lateral view explode(concat(floors, column_changes, type_changes)) as act
    union all
    select
        span.table_id,
        'rename_table' as action,
        null as column_name,
        concat_ws('.', database_name, schema_name, table_name) as new_name,
        null as value,
        min(span.from_position) as position
    from resolve.name_spans
        lateral view explode(spans) as span
    where
        span.from_position is not null
        and not startswith(span.table_id, left(name_id, length(name_id) - 1))
    group by span.table_id, database_name, schema_name, table_name
)
select * from acts
where
    table_id = :table_id
    or position = :position
order by position
"""
MESSAGES = """
select log_position, kind, statement, topic, partition, offset, event_at
from silver.ddl_log
where array_contains(:positions, log_position)
"""
ACTS = {
    "floor": "a floor: rows below it are not live",
    "add": "adds the column {column_name} to the rows below it, with the value {value}",
    "drop": "takes the column {column_name} from the rows below it",
    "rename": "calls the column {column_name} of the rows below it {new_name}",
    "rename_table": "calls the table {new_name}",
    "modify": "gives the column {column_name} the type {value}",
}
NO_KEY = "none: a row is known by its whole content"


def states_of(spark: "SparkSession", table_id: str, states: Iterable[str]) -> dict[str, Found]:
    """What is left of rows of a table, by their state_id."""
    found = rows_of(spark, STATES, table_id=table_id, states=list(states))
    return {state["state_id"]: state for state in found}


def effects_on(
    spark: "SparkSession",
    table_id: str,
    states: Iterable[str] | None = None,
    positions: Iterable[str] | None = None,
) -> list[Found]:
    """What changes did to rows of a table, the greatest position last.

    Those on rows with these ``states``, or of changes at these ``positions``.
    """
    wanted = {"states": states and list(states), "positions": positions and list(positions)}
    return rows_of(spark, EFFECTS, table_id=table_id, **wanted)


def statements_on(spark: "SparkSession", **of: str) -> list[Found]:
    """What statements did to a table's rows: those on a ``table_id``, or of a ``position``."""
    acts = rows_of(spark, STATEMENTS, **({"table_id": None, "position": None} | of))
    if not acts:
        return []
    positions = sorted({act["position"] for act in acts})
    messages = {
        message["log_position"]: message
        for message in rows_of(spark, MESSAGES, positions=positions)
    }
    # A run that was killed may have left effects of statements that stand elsewhere by now.
    known = [act for act in acts if act["position"] in messages]
    return [_statement(act, messages[act["position"]]) for act in known]


def _statement(act: Found, message: Found) -> Found:
    return {
        "statement": message["statement"],
        "kind": message["kind"],
        "place": place(message),
        "event_at": message["event_at"],
        "does": ACTS[act["action"]].format_map(act | {"value": shown_cell(act["value"])}),
        "position": in_words(act["position"], message["topic"]),
        "log_position": act["position"],
    }


def key_origins(spark: "SparkSession", names: Iterable[str]) -> dict[str, str]:
    """Where the key columns of tables come from, by the name_id of each."""
    found = rows_of(spark, KEYS, names=list(names))
    return {name["name_id"]: name["key_from"] for name in found}


def key_in_words(
    columns: list[str] | None, key: Mapping[str, Any] | None, origin: str | None
) -> str:
    """The key columns of a row, and where they come from."""
    if columns:
        return f"{', '.join(columns)}: {origin}"
    return "row_id: the vendor's physical row id, as nothing names a key" if key else NO_KEY


def positions_that_count(state: Found) -> set[str]:
    """Positions of the changes that a row is made of."""
    return {*filter(None, [state["base_position"]]), *(state["set_at"] or {}).values()}


def change_in_words(effect: Found) -> str:
    """Which change it is: its operation and its message's place."""
    return f"{effect['operation']} {place(effect)}"


class Known(NamedTuple):
    """Which change, and which statement, has which position, in words."""

    changes: dict[str, str]
    statements: dict[str, str]

    @classmethod
    def of(cls, effects: Iterable[Found], statements: Iterable[Found]) -> "Known":
        """Those of effects and statements that were read."""
        return cls(
            {effect["position"]: change_in_words(effect) for effect in effects},
            {
                statement["log_position"]: (
                    f"{statement['kind'].replace('_', ' ').upper()} {statement['place']}"
                )
                for statement in statements
            },
        )

    def floor(self, position: str) -> str:
        """The statement of a position; the position itself where the statement was not read."""
        return self.statements.get(position, position)

    def change(self, position: str | None) -> str | None:
        """The change of a position; the position itself where the change was not read."""
        return position and self.changes.get(position, position)


def done(effect: Found) -> str:
    """What a change does to the row."""
    has_key, moved_from = effect["key"] is not None, effect["previous_key"]
    if not has_key:
        return "adds a copy of the row" if effect["is_image"] else "takes a copy of the row away"
    if not effect["is_image"]:
        is_moved = moved_from is not None and effect["operation"] != "delete"
        return f"gives the row the key {cell(effect['new_key'])}" if is_moved else "deletes it"
    if moved_from is not None:
        return f"brings the row here from the key {cell(moved_from)}"
    return "writes the whole row" if effect["is_base"] else "sets the columns that it brings"


def counts(effect: Found, state: Found, known: Known) -> str:
    """Whether a change still counts in its row and, where not, which change or floor is above."""
    position, base = effect["position"], state["base_position"]
    if effect["floor_position"] is not None:
        return f"no: below the floor of {known.floor(effect['floor_position'])}"
    if effect["key"] is None:
        return "yes: copies are added up"
    if position == base:
        return "yes: it is the base, of all whole images and deletes the one above the others"
    if base is not None and position < base:
        return f"no: a later base stands above it, {known.change(base)}"
    return _columns_held(effect, state, known)


def row_now(state: Found, effects: Iterable[Found], known: Known) -> Found:
    """The row as it is, or why there is none."""
    if state["is_live"]:
        return {"row": state["row"], "copies": state["copies"]}
    if state["key"] is None:
        return {"row": "none: as many copies were taken away, or ended by a floor, as came"}
    last = [effect for effect in effects if effect["position"] == state["base_position"]]
    return {"row": " ".join(["none:", *(_end_in_words(effect, known) for effect in last)])}


def _end_in_words(effect: Found, known: Known) -> str:
    if effect["floor_position"] is not None:
        return f"{known.floor(effect['floor_position'])} ended it"
    return f"{change_in_words(effect)} {done(effect)}"


def _columns_held(effect: Found, state: Found, known: Known) -> str:
    """Which columns of a partial image the row still has, and which were set again above it."""
    if not effect["row"]:
        return "yes: the row is there, though its columns were dropped since"
    set_at = {name: (state["set_at"] or {}).get(name) for name in effect["row"]}
    held = sorted(name for name, at in set_at.items() if at == effect["position"])
    again = sorted(
        f"{name} by {known.change(at)}"
        for name, at in set_at.items()
        if at and at != effect["position"]
    )
    said = f"yes: it sets {', '.join(held)}" if held else "no"
    return f"{said}; set again above it: {', '.join(again)}" if again else said
