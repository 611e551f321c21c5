"""What the statements of one source make of its tables along its log: columns, names and rows.

A statement acts by position on the rows of its own line, and by time on the rows of other lines. So
each line is replayed by position, and the *merged* replay (line None) plays all lines by time. The
merged replay says which columns and which name a table has now. It also says which columns the rows
of a line have, where the line has no statements about the table.

Several sets or shards send the same statement, each in a line of its own. The merged replay plays
the first of them; the others are its *copies*, and `_first_numbers` tells which ones are copies. On
the columns of other lines' rows a copy acts at the time of the first one, so that it does not undo
what other lines did later.

Where a line first names a table, the line takes the table from the merged replay: as it is by then,
or, if the statement is a copy, as the first one found it.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa

from python_udfs.ddl import sql_type
from python_udfs.table_names import Name, NameBook

_CREATES = {"create_table", "create_or_replace_table", "create_table_like", "create_table_as"}
_SHAPING = _CREATES | {
    *("define_table", "define_name", "rename_table", "drop_table", "drop_database", "drop_schema"),
}
_SENT_TO = ("operation", "database_name", "table_name")
_NAME = dict.fromkeys(Name._fields, pa.string())
_IDENTITY = _NAME | {"birth": pa.int32()}
_COLUMN = {"column_name": pa.string(), "data_type": pa.string(), "is_key": pa.bool_()}
_SPAN = _NAME | {
    "line": pa.string(),
    "number": pa.int32(),
    "from_position": pa.string(),
    "from_at": pa.int64(),
    "identity": pa.struct(_IDENTITY),
    "columns": pa.list_(pa.struct(_COLUMN)),
    "key_columns": pa.list_(pa.string()),
    "topic_key_columns": pa.list_(pa.string()),
}
_PLACE = ("line", "position", "event_at", "number", "first_number", "first_at")
_EFFECT = {
    "action": pa.string(),
    "line": pa.string(),
    "position": pa.string(),
    "event_at": pa.int64(),
    "first_at": pa.int64(),
    "column_name": pa.string(),
    "new_name": pa.string(),
    "value": pa.string(),
}
_TABLE = {
    "identity": pa.struct(_IDENTITY),
    "present": pa.struct(_NAME),
    "effects": pa.list_(pa.struct(_EFFECT)),
}
REPLAY_TYPE = pa.struct(
    {"spans": pa.list_(pa.struct(_SPAN)), "tables": pa.list_(pa.struct(_TABLE))}
)
REPLAY_SQL_TYPE = sql_type(REPLAY_TYPE)


def replay_ddl(
    statements: pa.Array, row_names: pa.Array, named_keys: pa.Array, listed: pa.Array
) -> pa.Array:
    """Each row's source replayed, as REPLAY_TYPE; the arguments as replay_source has them."""
    columns = [column.to_pylist() for column in (statements, row_names, named_keys, listed)]
    return pa.array([replay_source(*row) for row in zip(*columns, strict=True)], REPLAY_TYPE)


def replay_source(
    statements: list[dict[str, Any]] | None,
    row_names: list[dict[str, Any]] | None,
    named_keys: list[dict[str, Any]] | None,
    listed: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    """What names mean, from where on, and what befell each table's rows.

    ``statements``: one a message: line, position, event_at (microseconds), the message's own
    database_name, schema_name, table_name; operation; database_type; text; parsed (as parse_ddl's).
    ``row_names``: the names under which rows came, with the key_columns of seeds/topics.csv where
    it has them. ``named_keys``: each key that messages name, that of the greatest message last: the
    message's names, its line (None: its place is by time), its key_columns, and the last position
    and event_at of statements below it (after_position, after_at; None where there is none, or no
    time). ``listed``: database_name, table_name and columns (column_name, data_type, is_key) of the
    settings: what a table had at its start.

    ``spans``: what a name means from a position of a line on (None: from its start): a table's
    identity (its first name, and which table of that name it is), its columns (None: not known) and
    key_columns, those of the present key (the messages' before that of DDL; of a table that was
    dropped since, those of its last key) by their names of that time. topic_key_columns: the name's
    key of seeds/topics.csv by the names of that time. No other key is judged by it: it counts only
    where key_columns is empty. ``tables``: each identity's present name (None: it never had another
    than the first one) and what befell the rows before a statement: floor (they are gone; with the
    ``value`` drop, so is the table), add, drop or rename of a column; modify says the type
    (``value``) that a column has from then on. Effects stand in the order in which they act. An
    effect of a copy on columns has the place of the first statement among them and its event_at, so
    that rows of other lines meet both as one. ``first_at``: the time at which an effect acts on
    rows of other lines.
    """
    topic_keys = {_name_in(item): item.get("key_columns") or [] for item in row_names or []}
    known = set(topic_keys)
    lists = {(item["database_name"], item["table_name"]): item["columns"] for item in listed or []}
    lines: dict[str, Replay] = {}
    merged = Replay(None, known, lists)
    for statement in _in_order(statements or []):
        line = statement["line"]
        if line not in lines:
            lines[line] = Replay(line, known, lists, merged)
        lines[line].play(statement)
        if statement["number"] == statement["first_number"]:
            merged.play(statement)
    replays = [*lines.values(), merged]
    keys = NamedKeys(named_keys or [], lines, merged)
    effects = [_as_others_meet(effect) for replay in lines.values() for effect in replay.effects]
    effects.sort(key=lambda effect: effect["number"])
    by_identity = defaultdict(list)
    for effect in effects:
        by_identity[effect["identity"]].append(effect)
    return {
        "spans": [
            span for replay in replays for span in replay.described_spans(merged, keys, topic_keys)
        ],
        "tables": [
            {
                "identity": identity._asdict(),
                "present": merged.described_name(identity),
                "effects": by_identity[identity],
            }
            for identity in sorted(merged.states.keys() | by_identity.keys(), key=str)
        ],
    }


def _in_order(statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All statements by time, those of one line by position, each with a number.

    Statements of one time go by position, too: TDSQL's positions say which line began first. A
    statement without a time has the time of the one before it in its line, else it comes first.

    ``first_number``: the statement's own number, or for a copy that of the first one; ``first_at``:
    the event_at of that statement, else its own.
    """
    lines = defaultdict(list)
    for statement in statements:
        lines[statement["line"]].append(statement)
    placed = []
    for line, of_line in lines.items():
        latest = 0
        for statement in sorted(of_line, key=lambda item: item["position"]):
            latest = max(latest, statement["event_at"] or 0)
            placed.append((latest, statement["position"], line, statement))
    placed.sort(key=lambda item: item[:3])
    ordered = [item[-1] for item in placed]
    numbered = []
    for number, (statement, first) in enumerate(zip(ordered, _first_numbers(ordered), strict=True)):
        first_at = ordered[first]["event_at"]
        if first_at is None:
            first_at = statement["event_at"]
        numbered.append(statement | {"number": number, "first_number": first, "first_at": first_at})
    return numbered


def _first_numbers(ordered: list[dict[str, Any]]) -> Iterator[int]:
    """For each statement its own number, or for a copy the number of the first one.

    Lines that are sets or shards play the same statements in the same order, each at its own time.
    So each line has a place in what all lines have said about a table: its own last statement about
    the table, or the first one where that is a copy.

    - A statement is a copy of the next equal one above that place, if another line has said one.
      Then the line lags. (Equal: the same text, database and table of the message.)
    - A line that says something about the table for the first time has no place yet. Its statement
      is a copy if the equal one is the first about the table: then the line plays the table's
      statements from their start. Or if the equal one is the last about the table: then the line
      says what another has just said. Otherwise the line goes on where others ended, as after a
      failover, and its statement is new.
    - A statement that is no copy is new: it acts at its own time, over all lines.
    - A statement that changes no name, column or key (TRUNCATE) is never a copy.
    """
    equals: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    firsts: dict[tuple[Any, ...], int] = {}
    lasts: dict[tuple[Any, ...], int] = {}
    places: dict[tuple[Any, ...], int] = {}
    for number, statement in enumerate(ordered):
        line, tables = statement["line"], _shaped_tables(statement)
        what = statement["text"] or str(statement["parsed"]), *map(statement.get, _SENT_TO)
        equal = equals[what] if tables else []
        reached = [places[line, table] for table in tables if (line, table) in places]
        if reached:
            found = equal[bisect_right(equal, max(reached)) :][:1]
        else:
            starts = [one for one in equal[:1] if all(firsts[table] == one for table in tables)]
            ends = [one for one in equal[-1:] if all(lasts[table] == one for table in tables)]
            found = starts or ends
        first = found[0] if found else number
        if not found:
            equal.append(number)
            lasts |= dict.fromkeys(tables, number)
        for table in tables:
            firsts.setdefault(table, number)
            places[line, table] = first
        yield first


def _shaped_tables(statement: dict[str, Any]) -> set[tuple[str, str]]:
    """The tables whose name, columns or key a statement sets, as (database, table) without case."""
    sent_to = (statement["database_name"], statement["table_name"])
    tables = set()
    for part in _parts(statement):
        is_altered = part["column_changes"] or part["key_columns"] is not None
        if part["kind"] not in _SHAPING and not (part["kind"] == "alter_table" and is_altered):
            continue
        for table in part["tables"] or [{}]:
            for new in ("", "new_") if table.get("new_table_name") else ("",):
                names = (table.get(f"{new}database_name"), table.get(f"{new}table_name"))
                database_name, table_name = (
                    name or sent for name, sent in zip(names, sent_to, strict=True)
                )
                tables.add(((database_name or "").casefold(), (table_name or "").casefold()))
    return tables


def _as_others_meet(effect: dict[str, Any]) -> dict[str, Any]:
    """A copy's effect on columns at the place of the first statement; any other as it is.

    A floor keeps its own place and event_at: it ends the versions of its own line's rows.
    """
    if effect["action"] == "floor":
        return effect
    return effect | {"number": effect["first_number"], "event_at": effect["first_at"]}


class Identity(NamedTuple):
    """A table, whatever it is called later: its first name, and which table of that name it is."""

    database_name: str | None
    schema_name: str | None
    table_name: str | None
    birth: int


class Column(NamedTuple):
    """A column of a table; ``data_type`` is None where nothing says it."""

    column_name: str
    data_type: str | None


@dataclass(frozen=True)
class State:
    """A table at one point of the log. ``columns``: None where they are not known.

    ``is_made``: a statement of the line created it; ``exists``: it was not dropped since. ``life``:
    how often it was dropped.
    """

    identity: Identity
    columns: tuple[Column, ...] | None = None
    key_columns: tuple[str, ...] = ()
    is_made: bool = False
    exists: bool = True
    life: int = 0

    def place_of(self, column_name: str | None) -> int | None:
        """Where a column stands; one in another case only where none has the name as it is."""
        names = [column.column_name for column in self.columns or ()]
        if column_name in names:
            return names.index(column_name)
        folded = [name.casefold() for name in names]
        found = (column_name or "").casefold()
        return folded.index(found) if found in folded else None

    def is_one(self, left: str, right: str) -> bool:
        """Whether two names mean one column."""
        return _same(left, right) and self.place_of(left) == self.place_of(right)

    def with_key(self, key_columns: list[str]) -> "State":
        """The state with this primary key, its names spelled as the table's columns."""
        return replace(self, key_columns=tuple(map(self.spelled, key_columns)))

    def spelled(self, column_name: str) -> str:
        """The name in the case of the one column that has it; as it is where none or several do."""
        return _only_alike([column.column_name for column in self.columns or ()], column_name)

    def described_columns(self) -> list[dict[str, Any]] | None:
        """The columns as REPLAY_TYPE has them; None where they are not known."""
        if self.columns is None:
            return None
        keys = set(map(self.place_of, self.key_columns))
        return [
            column._asdict() | {"is_key": place in keys}
            for place, column in enumerate(self.columns)
        ]

    def without(self, place: int) -> "State":
        """The state without the column at this place."""
        columns = self.columns or ()
        return replace(self, columns=columns[:place] + columns[place + 1 :])

    def with_column(
        self, column: Column, change: dict[str, Any], place: int | None = None
    ) -> "State":
        """The column put where the change says, else at ``place``, else last."""
        columns, after = self.columns or (), self.place_of(change["after"])
        if change["is_first"]:
            place = 0
        elif after is not None:
            place = after + 1
        elif place is None:
            place = len(columns)
        return replace(self, columns=(*columns[:place], column, *columns[place:]))


class Span(NamedTuple):
    """What a name means from a statement on; an empty one: from the line's start.

    ``number``: the first_number of the last statement whose names the state has. ``births``: how
    many tables had the name as their first one.
    """

    state: State
    statement: dict[str, Any]
    number: int
    births: int


class Ended(NamedTuple):
    """What a table was when it was dropped, by the statement of this first_number."""

    key_columns: tuple[str, ...]
    number: int


class Replay:
    """Statements replayed in one order: by position along one line, or by time over all lines.

    ``merged``: for a line, the replay over all lines, which plays each statement after it.
    """

    def __init__(
        self,
        line: str | None,
        row_names: set[Name],
        lists: dict[tuple[str | None, str | None], list[dict[str, Any]]],
        merged: "Replay | None" = None,
    ) -> None:
        self.line = line
        self.states: dict[Identity, State] = {}
        self.effects: list[dict[str, Any]] = []
        self.spans: defaultdict[Name, list[Span]] = defaultdict(list)
        self.ended: dict[tuple[Identity, int], Ended] = {}
        self._merged = merged
        self._names = NameBook(row_names)
        self._row_names = row_names
        self._lists = lists
        self._tables: dict[Name, Identity] = {}
        self._names_had: defaultdict[Identity, set[Name]] = defaultdict(set)
        self._touched: set[Identity] = set()  # by the statement that is played
        self._present: dict[Identity, Name] = {}
        self._births: Counter[Name] = Counter()
        self._statement: dict[str, Any] = {}

    def present_name(self, identity: Identity) -> Name:
        """What the table is called after the last statement."""
        return self._present.get(identity, Name(*identity[:3]))

    def described_name(self, identity: Identity) -> dict[str, Any] | None:
        """The present name, also where it is the first one again; None if it was never renamed."""
        return self._present[identity]._asdict() if identity in self._present else None

    def described_spans(
        self, merged: "Replay", keys: "NamedKeys", topic_keys: dict[Name, list[str]]
    ) -> Iterator[dict[str, Any]]:
        """The spans of every name; keys are the present ones, by the names of that time.

        Below a DROP of the replay's own, the key is the one that the dropped table had last.
        """
        changes = self._column_changes(merged)
        for name, spans in self.spans.items():
            for number, (state, statement, last_number, _) in enumerate(spans, 1):
                ended = self.ended.get((state.identity, state.life))
                earlier, later = self._around(last_number, state, changes, merged)
                topic_key = [
                    _name_between(column, earlier, later) for column in topic_keys.get(name, [])
                ]
                yield name._asdict() | {
                    "line": self.line,
                    "number": number,
                    "from_position": statement.get("position"),
                    "from_at": statement.get("event_at"),
                    "identity": state.identity._asdict(),
                    "columns": state.described_columns(),
                    "key_columns": [
                        keys.spelled(state.identity, _name_before(column, later))
                        for column in self._last_key(state, ended, merged, keys)
                    ],
                    # The settings may name a column twice: by its earlier and its present name.
                    "topic_key_columns": list(dict.fromkeys(topic_key)),
                }

    def is_above(self, span: Span, key: dict[str, Any]) -> bool:
        """Whether a span begins above the message that named this key (see macros/is_above.sql)."""
        if not span.statement:
            return False
        if self.line is not None and key["line"] is not None:
            return span.statement["position"] > (key["after_position"] or "")
        if span.statement["event_at"] is None or key["after_at"] is None:
            return key["line"] is None
        return span.statement["event_at"] > key["after_at"]

    @staticmethod
    def _last_key(
        state: State, ended: Ended | None, merged: "Replay", keys: "NamedKeys"
    ) -> Sequence[str]:
        """The key that a table has now, or had when it was dropped."""
        identity = state.identity
        if ended:
            last = keys.of_life(identity, state.life, ended.key_columns)
        else:
            last = keys.of_table(identity) or merged.states.get(identity, state).key_columns
        return (
            last
            or keys.of_names.get(merged.present_name(identity))
            or keys.of_names.get(Name(*identity[:3]), [])
        )

    def _column_changes(self, merged: "Replay") -> list[dict[str, Any]]:
        """Renamed and dropped columns, by this line's statements and by those only others bring."""
        brought = {effect["first_number"] for effect in self.effects}
        others = [effect for effect in merged.effects if effect["first_number"] not in brought]
        changes = [item for item in self.effects + others if item["action"] in {"rename", "drop"}]
        return sorted(changes, key=lambda change: change["first_number"])

    def _around(
        self, number: int, state: State, changes: list[dict[str, Any]], merged: "Replay"
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """A table's changes up to a statement, since the last DROP, and above, until the next."""
        before, this = (state.identity, state.life - 1), (state.identity, state.life)
        begun, ended = self.ended.get(before) or merged.ended.get(before), self.ended.get(this)
        earlier, later = [], []
        for change in changes:
            at = change["first_number"]
            if change["identity"] != state.identity or (ended and at > ended.number):
                continue
            if at > number:
                later.append(change)
            elif not begun or at > begun.number:
                earlier.append(change)
        return earlier, later

    def play(self, statement: dict[str, Any]) -> None:
        """Let one message's statements act, in their order."""
        self._statement = statement
        self._touched.clear()
        effects_before = len(self.effects)
        place = Name(*(statement[part] for part in Name._fields))
        own = place if place.table_name else None
        default = place
        for part in _parts(statement):
            if part["kind"] == "use_database":
                default = Name(part["tables"][0]["database_name"], None, None)
            else:
                self._act(part, own, default)
        effects = self.effects[effects_before:]
        # A key of seeds/topics.csv has other names there, also where no state knows its columns.
        named = {item["identity"] for item in effects if item["action"] in {"rename", "drop"}}
        for identity in self._touched:
            for name in self._names_of(identity):
                if identity in named or self.spans[name][-1].state != self.states[identity]:
                    self._begin_span(name, statement, statement["first_number"])

    def _act(self, part: dict[str, Any], own: Name | None, default: Name) -> None:
        kind, written = part["kind"], part["tables"]
        if kind in {"drop_database", "drop_schema"}:
            for table in written:
                qualifiers = (table["database_name"], table["schema_name"])
                for name in self._names.tables_in(*qualifiers):
                    self._drop(name)
            return
        named = [
            self._names.find(table, own, default, len(written) == 1) if table["table_name"] else own
            for table in written
        ]
        found = [name for name in named if name] or ([own] if own and not written else [])
        if kind == "drop_table":
            for name in found:
                self._drop(name)
        elif kind == "truncate_table":
            for name in found:
                self._add_effect(self._state(name), "floor")
        elif kind == "define_table":
            for name in found:
                self._define(name, part)
        elif kind in _CREATES and found:
            self._create(part, *found)
        elif kind == "rename_table" and self._is_copy_swapped_in(written, found):
            self._take_columns(*found)
        elif kind in {"rename_table", "define_name", "alter_table"}:
            for name, table in zip(found, written or [{}], strict=False):
                self._alter(name, part)
                if table.get("new_table_name"):
                    self._rename(name, self._renamed(table, name, default))

    def _state(self, name: Name, is_created: bool = False) -> State:
        """The table of this name; one that no statement made is there from the start."""
        if name not in self._tables:
            self._put(name, self._taken_up(name, is_created) or self._listed(name))
            if name not in self.spans:
                self._begin_span(name, {}, self._statement["first_number"] - 1)
        return self.states[self._tables[name]]

    def _listed(self, name: Name) -> State:
        listed = self._lists.get((name.database_name, name.table_name)) or []
        columns = tuple(Column(item["column_name"], item["data_type"]) for item in listed)
        keys = tuple(item["column_name"] for item in listed if item["is_key"])
        return State(self._new_identity(name), columns or None, keys)

    def _taken_up(self, name: Name, is_created: bool) -> State | None:
        """What the statements of all lines made of the name before the one that is played.

        A copy takes what the first one found. (A CREATE may find the table there, copy or not.)
        """
        spans = self._merged.spans.get(name) if self._merged else None
        if not spans:
            return None
        if not is_created:
            before = self._statement["first_number"]
            spans = [span for span in spans if span.statement.get("number", -1) < before]
        self._births[name] = spans[-1].births
        for other in self._names_of(spans[-1].state.identity):
            # Another line's statement took this name from the table: it is taken up anew.
            del self._tables[other]
        return replace(spans[-1].state, is_made=False)

    def _names_of(self, identity: Identity) -> list[Name]:
        """The names that mean the table now."""
        had = self._names_had[identity]
        return [name for name in had if self._tables.get(name) == identity]

    def _new_identity(self, name: Name) -> Identity:
        self._births[name] += 1
        return Identity(*name, self._births[name])

    def _put(self, name: Name, state: State) -> None:
        self._tables[name] = state.identity
        self._names_had[state.identity].add(name)
        self._touched.add(state.identity)
        self.states[state.identity] = state

    def _begin_span(self, name: Name, statement: dict[str, Any], number: int) -> None:
        state = self.states[self._tables[name]]
        self.spans[name].append(Span(state, statement, number, self._births[name]))

    def _add_effect(self, state: State, action: str, **values: str | None) -> None:
        place = {part: self._statement[part] for part in _PLACE}
        nothing = {"column_name": None, "new_name": None, "value": None}
        self.effects.append(
            nothing | place | values | {"identity": state.identity, "action": action}
        )

    def _drop(self, name: Name) -> None:
        """A floor also where no table is known: its rows may come without a CREATE.

        Only a message that says the same DROP twice, as by table changes, drops once.
        """
        state = self._state(name)
        last = self.ended.get((state.identity, state.life - 1))
        if state.exists or last is None or last.number != self._statement["first_number"]:
            self._put(name, self._dropped(state))

    def _dropped(self, state: State) -> State:
        self._add_effect(state, "floor", value="drop")
        number = self._statement["first_number"]
        self.ended[state.identity, state.life] = Ended(state.key_columns, number)
        return replace(state, columns=None, exists=False, life=state.life + 1)

    def _create(self, part: dict[str, Any], name: Name, *model_names: Name) -> None:
        # The models first: where another line renamed one, its other name may be the one created.
        models = [self._state(model_name) for model_name in model_names]
        state = self._state(name, is_created=True)
        if part["kind"] == "create_or_replace_table":
            state = self._dropped(state)
        elif state.exists and state.columns and (state.is_made or part["if_exists"]):
            return  # it is there: several sets or shards send the same statement
        state = replace(state, exists=True, is_made=True, columns=None)
        if models and part["kind"] != "create_table_as":
            # The text does not tell the order of a model's columns among others.
            is_alone = len(models) == 1 and not part["column_changes"]
            columns = models[0].columns if is_alone else None
            state = replace(state, columns=columns, key_columns=models[0].key_columns)
        elif part["kind"] != "create_table_as":
            added = [change for change in part["column_changes"] if change["action"] == "add"]
            columns = tuple(Column(item["column_name"], item["data_type"]) for item in added)
            state = replace(state, columns=columns or None)
        if part["key_columns"] is not None:
            state = state.with_key(part["key_columns"])
        self._put(name, state)

    def _define(self, name: Name, part: dict[str, Any]) -> None:
        """The table has these columns from here on. Where others are known, the differences act."""
        state = self._state(name)
        added = part["column_changes"]
        columns = tuple(Column(change["column_name"], change["data_type"]) for change in added)
        if state.columns is not None:
            columns = self._differing(state, columns)
        state = replace(state, columns=columns, exists=True)
        if part["key_columns"] is not None:
            state = state.with_key(part["key_columns"])
        self._put(name, state)

    def _differing(self, state: State, defined: tuple[Column, ...]) -> tuple[Column, ...]:
        """The defined columns, by the names and types that are known; what differs has an effect.

        A known type stays where the message has a text: the text says it in the source's own words.
        """
        known = {column.column_name: column.data_type for column in state.columns or ()}
        folded = Counter(column.column_name.casefold() for column in defined)
        columns = {}
        for name, data_type in defined:
            if name not in known and folded[name.casefold()] == 1:
                name = state.spelled(name)
            old_type = known.get(name)
            if name not in known:
                self._add_effect(state, "add", column_name=name)
            elif old_type and (self._statement["text"] or _same(old_type, data_type or old_type)):
                data_type = old_type
            elif old_type:
                self._add_effect(state, "modify", column_name=name, value=data_type)
            columns[name] = data_type
        for name in known:
            if name not in columns:
                self._add_effect(state, "drop", column_name=name)
        return tuple(Column(*column) for column in columns.items())

    def _renamed(self, table: dict[str, Any], name: Name, default: Name) -> Name:
        """The name that a table gets, as rows spell it, unless only its case changes."""
        new = _new_name(table, name, default)
        found = self._names.find(new._asdict(), None, new, is_only=False)
        return new if found == name else found

    def _rename(self, old: Name, new: Name) -> None:
        state = self._state(old)
        if not state.exists or new == old:
            return  # it was renamed before: several sets or shards send the same statement
        self._state(new)
        self._put(new, state)
        self._present[state.identity] = new
        self._put(old, State(self._new_identity(old), exists=False))

    def _is_copy_swapped_in(self, written: list[dict[str, Any]], found: list[Name]) -> bool:
        """Whether a tool for schema changes (gh-ost, pt-online-schema-change) puts its copy in.

        Where the log has no row of the copy, its rows are those that the table has.
        """
        if len(found) != 2 or found[1] in self._row_names:
            return False
        table_name, copy_name, new_name = [
            (name or "").casefold()
            for name in (found[0].table_name, found[1].table_name, written[1]["new_table_name"])
        ]
        is_copy = copy_name in {f"_{table_name}_gho", f"_{table_name}_new"}
        return is_copy and new_name == table_name

    def _take_columns(self, name: Name, copy_name: Name) -> None:
        """The table gets the copy's columns; the next copy of that name is another table."""
        state, copy = self._state(name), self._state(copy_name)
        effects = [item for item in self.effects if item["identity"] == copy.identity]
        floors = [place for place, item in enumerate(effects, 1) if item["action"] == "floor"]
        for effect in effects[floors[-1] if floors else 0 :]:
            changed = {part: effect[part] for part in ("column_name", "new_name", "value")}
            self._add_effect(state, effect["action"], **changed)
        keys = copy.key_columns if copy.is_made else state.key_columns
        self._put(name, replace(state, columns=copy.columns, key_columns=keys))
        self._put(copy_name, State(self._new_identity(copy_name), exists=False))

    def _alter(self, name: Name, part: dict[str, Any]) -> None:
        state = self._state(name)
        for change in _one_after_another(part["column_changes"]):
            state = self._change_column(state, change)
        if part["key_columns"] is not None:
            state = state.with_key(part["key_columns"])
        self._put(name, state)

    def _change_column(self, state: State, change: dict[str, Any]) -> State:
        """One action of ALTER TABLE; one whose effect is there already does nothing."""
        action, column_name = change["action"], change["column_name"]
        is_known, place = state.columns is not None, state.place_of(column_name)
        if action not in {"add", "drop", "rename", "modify"}:
            return state
        if is_known and (place is None) != (action == "add"):
            return state
        column_name, keys = state.spelled(column_name), state.key_columns
        if action == "add":
            self._add_effect(state, "add", column_name=column_name, value=change["default_value"])
            column = Column(column_name, change["data_type"])
            return state.with_column(column, change) if is_known else state
        if action == "drop":
            self._add_effect(state, "drop", column_name=column_name)
            kept = tuple(key for key in keys if not state.is_one(key, column_name))
            state = replace(state, key_columns=kept)
            return state if place is None else state.without(place)
        new_name = change["new_name"] or column_name
        if action == "rename":
            self._add_effect(state, "rename", column_name=column_name, new_name=new_name)
            renamed = (new_name if state.is_one(key, column_name) else key for key in keys)
            state = replace(state, key_columns=tuple(renamed))
        if change["data_type"]:
            self._add_effect(state, "modify", column_name=new_name, value=change["data_type"])
        if state.columns is None or place is None:
            return state
        old = state.columns[place]
        name = new_name if action == "rename" else old.column_name
        column = Column(name, change["data_type"] or old.data_type)
        return state.without(place).with_column(column, change, place)


class NamedKeys:
    """The keys that messages name, as replay_source has them: each table's last one.

    ``of_names``: the last one under each name, of whatever table. Of messages that name one key
    only the greatest is known, which may be another table's that had the name later, or of the
    table when it was made again.
    """

    def __init__(
        self, named_keys: list[dict[str, Any]], lines: dict[str, Replay], merged: Replay
    ) -> None:
        self.of_names: dict[Name, list[str]] = {}
        # With the life of the table in which each was named.
        self._of_tables: defaultdict[Identity, list[tuple[int, list[str]]]] = defaultdict(list)
        for key in named_keys:
            name, line = _name_in(key), lines.get(key["line"])
            replay = line if line and name in line.spans else merged
            below = [span for span in replay.spans.get(name, []) if not replay.is_above(span, key)]
            self.of_names[name] = key["key_columns"]
            if below:
                state = below[-1].state
                self._of_tables[state.identity].append((state.life, key["key_columns"]))

    def of_table(self, identity: Identity) -> Sequence[str]:
        """The last key of a table; empty where no message names it."""
        return self._of_tables[identity][-1][1] if self._of_tables[identity] else ()

    def of_life(
        self, identity: Identity, life: int, of_statements: tuple[str, ...]
    ) -> Sequence[str]:
        """The last key that a table had in a life that has ended.

        That of its messages, else that of its statements, else the first one named later.
        """
        named = self._of_tables[identity]
        own = [key for number, key in named if number == life]
        later = [key for number, key in named if number > life]
        return (*own[-1:], *filter(None, [of_statements]), *later, ())[0]

    def spelled(self, identity: Identity, column_name: str) -> str:
        """The name in the case in which the table's messages name it, as their rows have it."""
        names = {name for _, key in self._of_tables[identity] for name in key}
        return _only_alike(names, column_name)


def _name_in(item: dict[str, Any]) -> Name:
    return Name(*(item[part] for part in Name._fields))


def _parts(statement: dict[str, Any]) -> list[dict[str, Any]]:
    """The statements of a message; of one without a readable text, what its operation says.

    Where a text renames tables, the names that table changes define are left out: renamed twice,
    tables that change names would change them back.
    """
    parts = (statement["parsed"] or {}).get("statements") or []
    if any(part["kind"] == "rename_table" for part in parts):
        parts = [part for part in parts if part["kind"] != "define_name"]
    if any(part["kind"] != "unknown" for part in parts):
        return parts
    kind = {"truncate": "truncate_table", "drop": "drop_table"}.get(statement["operation"])
    return [{"kind": kind, "tables": [], "column_changes": [], "key_columns": None}] if kind else []


def _one_after_another(changes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The changes of one statement in the order in which MySQL makes them.

    Names are those before the statement: columns go, change and are renamed first. Then come new
    columns and those that get another place, after columns by their new names. Where names change
    places, they go by another name meanwhile.
    """
    placed = [item for item in changes if _is_placed(item)]
    in_place = [item for item in changes if not _is_placed(item)]
    in_place.sort(key=lambda item: item["action"] != "drop")
    renames = [item for item in changes if item["action"] == "rename"]
    olds = {item["column_name"].casefold() for item in renames}
    if not any((item["new_name"] or "").casefold() in olds for item in renames):
        yield from in_place + placed
        return
    yield from (item for item in in_place if item["action"] != "rename")
    here = {"is_first": False, "after": None}
    for item in renames:
        yield item | here | {"new_name": f"\u0001{item['new_name']}"}
    for item in renames:
        yield item | here | {"column_name": f"\u0001{item['new_name']}"}
    moved = {"action": "modify", "new_name": None, "data_type": None}
    for item in placed:
        is_renamed = item["action"] == "rename"
        yield item | moved | {"column_name": item["new_name"]} if is_renamed else item


def _is_placed(change: dict[str, Any]) -> bool:
    """Whether the column is new or gets another place."""
    return change["action"] == "add" or change["is_first"] or change["after"] is not None


def _new_name(table: dict[str, Any], name: Name, default: Name) -> Name:
    """A table that the text leaves in its place stays there, as messages tell that place.

    A bare new name lies where the statement runs, or where its reader has put it.
    """
    place = (table["database_name"], table["schema_name"])
    if any(place) and place == (table["new_database_name"], table["new_schema_name"]):
        return name._replace(table_name=table["new_table_name"])
    return Name(
        table["new_database_name"] or default.database_name or name.database_name,
        table["new_schema_name"] or name.schema_name,
        table["new_table_name"],
    )


def _name_before(column_name: str, later: list[dict[str, Any]]) -> str:
    """What a column was called before these changes."""
    for change in reversed(later):
        if change["action"] == "rename" and _same(change["new_name"], column_name):
            column_name = change["column_name"]
    return column_name


def _name_after(column_name: str, changes: list[dict[str, Any]]) -> str | None:
    """What a column is called after these changes; None if it is dropped."""
    for change in changes:
        if _same(change["column_name"], column_name):
            if change["action"] == "drop":
                return None
            column_name = change["new_name"]
    return column_name


def _since_dropped(column_name: str, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The changes above the last one that drops a column which had this name before them."""
    name = column_name
    for place, change in enumerate(changes, 1):
        if _same(change["column_name"], name):
            if change["action"] == "drop":
                return _since_dropped(column_name, changes[place:])
            name = change["new_name"]
    return changes


def _name_between(
    column_name: str, earlier: list[dict[str, Any]], later: list[dict[str, Any]]
) -> str:
    """What a column of the settings is called between these changes.

    The settings have its name from before all of them or from after one of them. A column that is
    dropped in the end is called as the settings say: most likely they mean another one. That one is
    followed from where the first one was dropped.
    """
    here = _name_after(column_name, _since_dropped(column_name, earlier))
    present = here and _name_after(here, later)
    if not (here and present):
        return column_name
    before = _name_before(present, later)
    return here if _same(here, before) else before


def _only_alike(names: Iterable[str], name: str) -> str:
    """The one of these names that is equal without case; the name itself where not just one is."""
    alike = [other for other in names if _same(other, name)]
    return alike[0] if len(alike) == 1 else name


def _same(left: str, right: str) -> bool:
    return left.casefold() == right.casefold()
