"""Messages that are wrong, or right in a hostile way, of every envelope; and their neighbours.

All are drawn before anything is built: a topic for each envelope and kind of mischief, in which
well-formed neighbours stand between the messages that are mistreated.
"""

import copy
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from chance import SEED
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from messages import WRITERS, Row, as_sent, operation, tdsql_row, text
from workloads import WITHOUT_OLD_ROWS

TESTS = Path(__file__).parents[1]
SAMPLES = TESTS.parent / "samples"
DRAWN_FROM_EACH_ENVELOPE = 50
CUT_FROM_EACH_ENVELOPE = 30

# Whose messages say the table's name; the others take it from their topic's settings.
NAMES_ITS_TABLE = set(WRITERS) - {"dataworks_record", "oms_debezium_smt"}
NAMES_ITS_DATABASE = NAMES_ITS_TABLE - {"datahub_tuple", "aws_dms"}


@dataclass(frozen=True)
class Sent:
    """One message as it lies in the file, and what the log must hold of it where that is known.

    ``neighbour`` is the number of a well-formed message, the same in every topic of its envelope.
    """

    data: bytes
    neighbour: int | None = None
    after: Mapping[str, str | None] | None = None
    names: dict[str, str] | None = None


# What stands where another type should: as JSON text, so that each arrives as it is written here.
STRANGERS = ["{}", '{"x":{"y":1}}', "[]", "[1,null]", "5", '"text"', '"{}"', "true", "null"]
# Names that quoting, templates and file systems could trip over.
NAMES = [
    *("a'b", 'a"b', "a`b", "a.b", "a\\b", "a b", "a\nb", "\t", "a/b", "%41", "*", "größe 😀"),
    *("\x00", "a\x01b", "a|b", "-- a", "t; drop table neighbour; --", "' or 1=1 --", "/* a"),
    *("${spark.app.name}", "${env:HOME}", "{{ 1 + 1 }}", "{% raw %}", "{# a #}", "%s", "$1", "\\1"),
    *("payload", "message", "offset", "key", "null", "NULL", "select", "x" * 1000),
]
# JSON texts of values, and the texts that the log must hold of them.
VALUES: list[tuple[str, str | None]] = [
    *((number, number) for number in ("1.10", "-0", "-0.0", "1E+2", "1e-400", "1e400", "0.10e1")),
    *((digits, digits) for digits in ("7" * 10_000, "-0." + "1" * 10_000, "1" * 39)),
    *((name, name) for name in ("true", "false", '{"a": [1.10, "\\u0041"]}', "[ ]", "{ }")),
    *((nested, nested) for nested in ("[" * 900 + "]" * 900, '{"a":1,"a":2}')),
    *((json.dumps(name), name) for name in NAMES),
    ("null", None),
    ('""', ""),
    ('"\\u0000"', "\x00"),
    ('"\\ud83d\\ude00\\/\\b"', "😀/\b"),
    ('"\\\\ud800"', "\\ud800"),
    ('"\x7f\u2028\ufeff"', "\x7f\u2028\ufeff"),
    (json.dumps("y" * 1_000_000), "y" * 1_000_000),
]
NUMBER = 7
ROW, CHANGED = {"id": NUMBER, "name": "sound"}, {"id": NUMBER, "name": "1.10"}
# The rows before and after each change of the neighbours, and their database and table.
NEIGHBOURS: list[tuple[Row | None, Row | None]] = [
    *((None, ROW), (ROW, CHANGED), (CHANGED, None), (None, CHANGED))
]
NEIGHBOURS_TABLE = ("neighbourhood", "neighbour")
PLACEHOLDER = '"(the value)"'
# Bytes that no JSON text may hold where they are put, or may hold only there.
BAD_BYTES = [b"\xff", b"\xed\xa0\x80", b"\xc3", b"\x00", b"\x01", b"\\ud800", b"\\udc00x", b"\\u12"]
BAD_BYTES += [b'"', b"\\", b"}", b"]", b",", b"{}", b"\r", b"NaN", b"//", b"\xef\xbb\xbf"]


def neighbours(envelope: str) -> list[Sent]:
    """An insert, an update and a delete of rows of a table that no other message names."""
    messages = [
        message
        for at, step in enumerate(NEIGHBOURS, start=7_000_000)
        for message in WRITERS[envelope](at, *step)
    ]
    return [
        Sent(_renamed(message, *NEIGHBOURS_TABLE).encode(), neighbour=number)
        for number, message in enumerate(messages)
    ]


def neighbours_changes(envelope: str, unnamed: str) -> list[dict[str, Any]]:
    """What the log must hold of the neighbours, in their order.

    ``unnamed``: what the topic's settings call a database or a table that no message names.
    """
    database, table = NEIGHBOURS_TABLE
    has_upserts, has_old_rows = envelope == "oms_debezium_smt", envelope not in WITHOUT_OLD_ROWS
    found = []
    for before, after in NEIGHBOURS:
        kind = operation(before, after, "insert", "update", "delete")
        old = before if has_old_rows or not after else None
        found.append(
            {
                "operation": "upsert" if has_upserts and after else kind,
                "database_name": database if envelope in NAMES_ITS_DATABASE else unnamed,
                "table_name": table if envelope in NAMES_ITS_TABLE else unnamed,
                "before": as_sent(old) if old else None,
                "after": as_sent(after) if after else None,
                "key": {"id": str(NUMBER)},
            }
        )
    return found


def _renamed(message: str, database: str, table: str) -> str:
    """A writer's message about another table."""
    database, table = (json.dumps(name)[1:-1] for name in (database, table))
    message = message.replace('"d.t', f'"{database}.{table}').replace('"t"', f'"{table}"')
    # Debezium's `d` is a delete.
    return message.replace('"d"', f'"{database}"').replace(f'"op": "{database}"', '"op": "d"')


def corpus(envelope: str) -> list[str]:
    """The vendors' sample messages, those of the cases, and ours."""
    file = "datastream" if envelope == "datastream" else envelope
    folders = [folder for folder in SAMPLES.iterdir() if folder.name.startswith(file)]
    exact = [folder for folder in folders if folder.name in (file, "datastream_oracle")]
    samples = [
        line
        for folder in sorted(exact)
        for line in (folder / "messages.jsonl").read_text().splitlines()
    ]
    cases = yaml.safe_load((TESTS / "cases" / f"{file}.yml").read_text())
    ours = WRITERS[envelope](1, {"id": 1, "name": "a"}, {"id": 1, "name": "b"})
    return [*samples, *(message for case in cases for message in case["messages"]), *ours]


def fields(value: Any) -> dict:
    """What an object or an array holds, by name or number; nothing where it is neither."""
    if isinstance(value, list):
        return dict(enumerate(value))
    return value if isinstance(value, dict) else {}


def paths(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Where each field and item of a message lies."""
    for key, inside in fields(value).items():
        yield (*path, key)
        yield from paths(inside, (*path, key))


def replaced(message: Any, *changes: tuple[tuple, str | None]) -> str:
    """The message's text with a JSON text at each path; None takes the field away.

    A path that an earlier change took away is passed over.
    """
    parts = copy.deepcopy(message)
    tokens: list[str] = []
    for path, token in changes:
        inside = functools.reduce(lambda held, key: fields(held).get(key), path[:-1], parts)
        if path[-1] not in fields(inside):
            continue
        if token is None:
            del inside[path[-1]]
        else:
            inside[path[-1]] = f"(value {len(tokens)})"
            tokens.append(token)
    mutant = text(parts)
    for number, token in enumerate(tokens):
        mutant = mutant.replace(f'"(value {number})"', token, 1)
    return mutant


def wrong_types(envelope: str) -> list[Sent]:
    """Every type at every field of a change, and every field away."""
    row = {"id": 1, "name": "a"}
    return [
        Sent(replaced(message, (path, token)).encode())
        for images in ((row, row | {"name": "b"}), (row, None))
        for message in map(json.loads, WRITERS[envelope](1, *images))
        for path in paths(message)
        for token in [None, *STRANGERS]
    ]


def values(envelope: str) -> list[Sent]:
    """Values that must be kept as they are."""
    found = []
    for number, (token, value) in enumerate(VALUES):
        row = {"id": number, "name": "(the value)"}
        if envelope == "tdsql":
            if not isinstance(value, str) or not token.startswith('"'):
                continue
            (message,) = tdsql_row(number, None, row | {"name": value})
        else:
            message = WRITERS[envelope](number, None, row)[-1].replace(PLACEHOLDER, token)
        found.append(Sent(message.encode(), after={"id": str(number), "name": value}))
    return found


def names(envelope: str) -> list[Sent]:
    """Columns, tables and databases with hostile names."""
    write, found = WRITERS[envelope], []
    for number, name in enumerate(NAMES):
        if envelope != "tdsql":
            row = {"id": number, name: "a"}
            after = {"id": str(number), name: "a"}
            found.append(Sent(write(number, None, row)[-1].encode(), after=after))
        for column in ("database_name", "table_name"):
            allowed = NAMES_ITS_TABLE if column == "table_name" else NAMES_ITS_DATABASE
            is_split = envelope == "oms_shareplex" and column == "database_name" and "." in name
            if envelope in allowed - {"tdsql"} and not is_split:
                (message,) = write(1000 + number, None, {"id": number})[-1:]
                new = (name, "t") if column == "database_name" else ("d", name)
                found.append(Sent(_renamed(message, *new).encode(), names={column: name}))
    return found


def drawn(envelope: str) -> list[Sent]:
    """Messages of the corpus, mistreated several times at random places."""
    objects = [
        json.loads(message)
        for message in corpus(envelope)
        if _is_object(message) and message.strip() != "{}"
    ]
    strangers = st.one_of(
        st.sampled_from([None, *STRANGERS]),
        st.sampled_from([token for token, _ in VALUES if len(token) < 20_000]),
    )

    @st.composite
    def mistreated(draw: st.DrawFn) -> bytes:
        message = draw(st.sampled_from(objects))
        changes = st.tuples(st.sampled_from(list(paths(message))), strangers)
        return replaced(message, *draw(st.lists(changes, min_size=1, max_size=3))).encode()

    return [Sent(data) for data in examples(mistreated(), DRAWN_FROM_EACH_ENVELOPE)]


def cut(envelope: str) -> list[Sent]:
    """Texts that are cut short, repeat names, run on, or hold bytes that they must not."""
    messages = [message.encode() for message in corpus(envelope)]

    @st.composite
    def broken(draw: st.DrawFn) -> bytes:
        message = draw(st.sampled_from(messages))
        at = draw(st.integers(0, len(message)))
        way = draw(st.sampled_from(["cut", "put", "put", "twice", "repeat", "deep", "long"]))
        if way == "cut":
            return message[:at]
        if way == "put":
            return message[:at] + draw(st.sampled_from(BAD_BYTES)) + message[at:]
        if way == "twice":
            return message + message
        if way == "deep":
            return b'{"a":' * 4_001 + message + b"}" * 4_001
        if way == "long":
            return message.rstrip()[:-1] + b',"%s":1}' % (b"n" * draw(st.integers(49_990, 60_000)))
        # The same fields once more, those of another message or others: the last counts.
        others = b'{"payload":5,"data":5,"after":5,"op":null}'
        again = draw(st.sampled_from([message, draw(st.sampled_from(messages)), others]))
        return again.rstrip()[:-1] + b"," + message.lstrip()[1:]

    return [Sent(data) for data in examples(broken(), CUT_FROM_EACH_ENVELOPE) if data.strip()]


def _is_object(message: str) -> bool:
    try:
        return isinstance(json.loads(message), dict)
    except ValueError:
        return False


def examples(strategy: st.SearchStrategy, number: int) -> list[Any]:
    """Some examples, alike for a seed."""
    found: list[Any] = []

    @seed(SEED + 1)
    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: Any) -> None:
        found.append(example)

    collect()
    return found


KINDS: dict[str, Callable[[str], list[Sent]]] = {
    "types": wrong_types,
    "values": values,
    "names": names,
    "drawn": drawn,
    "cut": cut,
}


def among_neighbours(mistreated: list[Sent], well_formed: list[Sent]) -> list[Sent]:
    """The first neighbour stands before them all, the last behind."""
    step = max(len(mistreated) // (len(well_formed) - 1), 1)
    found = []
    for number, neighbour in enumerate(well_formed):
        end = None if number == len(well_formed) - 2 else (number + 1) * step
        found += [neighbour, *mistreated[number * step : end]]
        if number == len(well_formed) - 2:
            return [*found, well_formed[-1]]
    return found
