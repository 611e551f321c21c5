"""Small cases of what statements do to rows: of positional ones, of floors, names and columns."""

from collections.abc import Callable
from typing import Any

from messages import (
    START,
    Writer,
    canal_statement,
    debezium_read,
    debezium_statement,
    iso_time,
    oms_canal,
    oms_dataworks,
    oms_dataworks_statement,
    oms_debezium,
    oms_default,
    oms_shareplex,
    oms_statement,
    oms_statement_with_sequence,
    renumbered,
    shareplex_statement,
    tdsql,
    tdsql_event,
    tdsql_statement,
)
from state_cases import KEYED, Case, Live, copies, deleted, keyed_by, live, version, written


def without_number(
    vendor: str, row: Writer, statement: Callable[[int, str], list[str]], part: str, **case: Any
) -> Case:
    """A truncation whose ``scn`` is "null", between batches of rows."""
    return Case(
        f"A statement of {vendor} without a number stands behind the rows of before it",
        batches=[
            written(row(1, None, {"id": 1, "a": "x"}), row(3, None, {"id": 3, "a": "z"})),
            renumbered(statement(2, "truncate table t"), part, scn="null"),
            row(4, None, {"id": 4, "a": "z"}),
        ],
        current=[live(id=3, a="z"), live(id=4, a="z")],
        meanwhile={1: [live(id=3, a="z")]},
        **case,
    )


EIGHT_HOURS = 8 * 3600
WITH_PART = Live({"id": "1", "part": "n", "a": "u"}, {"id": "1", "part": "n"})
CREATED = tdsql_statement(1, "create table t (id int primary key, a varchar(9))")

POSITIONAL = [
    Case(
        "Positional rows take the columns in force where they stand",
        batches=[
            written(
                CREATED,
                tdsql(2, None, ["1", "'x'"]),
                tdsql_statement(3, "alter table t add column b int default 7 first"),
                tdsql(4, None, ["8", "2", "'y'"]),
            ),
            written(
                tdsql(5, ["8", "2", "'y'"], ["9", "2", "'it''s'"]),
                tdsql_statement(6, "alter table t drop column a, rename column b to c"),
                tdsql(7, None, ["NULL", "3"]),
            ),
        ],
        current=[live(id=1, c=7), live(id=2, c=9), live(id=3, c=None)],
        meanwhile={0: [live(id=1, a="x", b=7), live(id=2, a="y", b=8)]},
    ),
    Case(
        "A key column that a statement adds is in the keys of older rows",
        batches=[
            written(CREATED, tdsql(2, None, ["1", "'x'"]), tdsql(3, None, ["2", "'z'"])),
            written(
                tdsql_statement(
                    4,
                    "alter table t add column b int default 7,"
                    " drop primary key, add primary key (id, b)",
                ),
                tdsql(5, ["1", "'x'", "7"], ["1", "'y'", "7"]),
            ),
        ],
        current=[
            Live({"id": "1", "a": "y", "b": "7"}, {"id": "1", "b": "7"}),
            Live({"id": "2", "a": "z", "b": "7"}, {"id": "2", "b": "7"}),
        ],
    ),
    Case(
        "Rows without a GTID stand as their topic has them",
        batches=[
            written(
                CREATED,
                [
                    tdsql_event(2, "insert", None, ["1", "'x'"], gtid=""),
                    tdsql_event(2, "insert", None, ["2", "'x'"], gtid=""),
                    tdsql_event(2, "delete", ["1", "'x'"], None, gtid=""),
                ],
            )
        ],
        current=[live(id=2, a="x")],
    ),
    Case(
        "Rows wait for their column list and leave quarantine by themselves",
        batches=[
            tdsql(12, None, ["1", "'x'"]),
            tdsql(13, ["1", "'x'"], ["1", "'y'"]),
            CREATED,
        ],
        current=[live(id=1, a="y")],
        meanwhile={0: [], 1: []},
        history=[version(12, 13, id=1, a="x"), version(13, None, id=1, a="y")],
    ),
    Case(
        "A late statement decodes anew what came after it",
        batches=[
            written(CREATED, tdsql(2, None, ["1", "'x'"]), tdsql(20, None, ["2", "'y'"])),
            tdsql_statement(10, "alter table t change a z varchar(9) first"),
            tdsql(30, None, ["'w'", "3"]),
        ],
        # The second row was misread as (id, a) at first: its place is behind the statement.
        current=[live(id=1, z="x"), live(id="y", z="2"), live(id=3, z="w")],
    ),
    Case(
        "A renamed key column still names the same rows",
        batches=[
            written(CREATED, tdsql(2, None, ["1", "'x'"])),
            tdsql_statement(3, "alter table t rename column id to pk"),
            tdsql(4, ["1", "'x'"], ["1", "'y'"]),
        ],
        current=[Live({"pk": "1", "a": "y"}, {"pk": "1"})],
    ),
    Case(
        "Tables without a key count their copies across shapes",
        batches=[
            written(
                tdsql_statement(1, "create table t (a int)"),
                tdsql(2, None, ["1"]),
                tdsql(3, None, ["1"]),
            ),
            tdsql_statement(4, "alter table t add b varchar(3) default 'n'"),
            written(tdsql(5, ["1", "'n'"], None), tdsql(6, None, ["1", "'m'"])),
        ],
        current=[copies(1, a=1, b="n"), copies(1, a=1, b="m")],
        meanwhile={0: [copies(2, a=1)], 1: [copies(2, a=1, b="n")]},
    ),
]

FLOORS = [
    Case(
        "TRUNCATE empties the table below it, in whatever order things come",
        batches=[
            oms_default(11, None, {"id": 1, "a": "x"}),
            oms_statement(20, "truncate table t"),
            written(
                oms_default(12, None, {"id": 2, "a": "late"}),
                oms_default(31, None, {"id": 3, "a": "z"}),
            ),
        ],
        current=[live(id=3, a="z")],
        meanwhile={0: [live(id=1, a="x")], 1: []},
        history=[
            version(1, 2, id=1, a="x"),
            version(1, 2, id=2, a="late"),
            version(3, None, id=3, a="z"),
        ],
    ),
    Case(
        "A table that was dropped and created again holds what came after",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "x"}),
                oms_statement(20, "drop table t"),
                oms_statement(20, "create table t (id int primary key, a text)"),
                oms_default(31, None, {"id": 1, "a": "z"}),
            ),
        ],
        current=[live(id=1, a="z")],
    ),
    Case(
        "A row that is read again after a TRUNCATE is live, also where the log had it before",
        settings={0: KEYED},
        batches=[
            written(
                oms_debezium(1, None, {"id": 1, "a": "x"}),
                oms_debezium(2, None, {"id": 2, "a": "x"}),
            ),
            debezium_statement(13, "truncate table t"),
            [debezium_read({"id": 1, "a": "read"}, at=20)],
        ],
        current=[live(id=1, a="read")],
        meanwhile={1: []},
        history=[
            version(1, 13, id=1, a="x"),
            version(2, 13, id=2, a="x"),
            version(20, None, id=1, a="read"),
        ],
    ),
    Case(
        "A floor ends the copies of rows without a key",
        batches=[
            written(oms_canal(1, None, {"a": 1}), oms_canal(2, None, {"a": 1})),
            canal_statement(3, "truncate t"),
            oms_canal(4, None, {"a": 1}),
        ],
        current=[copies(1, a=1)],
        meanwhile={0: [copies(2, a=1)], 1: []},
    ),
    Case(
        "A delete above a floor is a version of its own",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "x"}),
                oms_statement(20, "truncate table t"),
            ),
            oms_default(31, {"id": 1, "a": "x"}, None),
        ],
        current=[],
        history=[version(1, 2, id=1, a="x"), deleted(3, None, id=1, a="x")],
    ),
    Case(
        "A statement without a sequence stands behind the rows of its second that came before it",
        batches=[
            written(
                oms_default(21, None, {"id": 1, "a": "x"}),
                oms_statement(20, "truncate table t"),
                oms_default(29, None, {"id": 2, "a": "y"}),
            ),
        ],
        current=[live(id=2, a="y")],
    ),
    Case(
        "A statement without a sequence stands behind the last row also where rows say their order",
        settings={0: KEYED},
        batches=[
            written(
                renumbered(
                    oms_shareplex(1, None, {"id": 1, "a": "x"}),
                    "meta",
                    scn=f"{START + 1}1",
                    seq=1,
                ),
                renumbered(shareplex_statement(1, "truncate table t"), "meta", scn="null", seq=0),
                renumbered(
                    oms_shareplex(1, None, {"id": 2, "a": "y"}),
                    "meta",
                    scn=f"{START + 1}2",
                    seq=2,
                ),
            ),
        ],
        current=[live(id=2, a="y")],
    ),
    Case(
        "A statement of SharePlex without a number stands at its time in the topic's zone",
        settings={0: KEYED | {"time_zone": "Asia/Shanghai"}},
        batches=[
            written(
                renumbered(
                    oms_shareplex(1, None, {"id": 1, "a": "x"}),
                    "meta",
                    time=iso_time(EIGHT_HOURS + 1),
                    scn=f"{START + 1}1",
                ),
                renumbered(
                    shareplex_statement(2, "truncate table t"),
                    "meta",
                    time=iso_time(EIGHT_HOURS + 2),
                    scn="null",
                ),
                renumbered(
                    oms_shareplex(3, None, {"id": 2, "a": "y"}),
                    "meta",
                    time=iso_time(EIGHT_HOURS + 3),
                    scn=f"{START + 3}1",
                ),
            ),
        ],
        current=[live(id=2, a="y")],
    ),
    without_number("SharePlex", oms_shareplex, shareplex_statement, "meta", settings={0: KEYED}),
    without_number("DataWorks", oms_dataworks, oms_dataworks_statement, "payload"),
]

NAMES = [
    Case(
        "A renamed table keeps its rows under the new name",
        batches=[
            oms_default(11, None, {"id": 1, "a": "x"}),
            oms_statement(20, "rename table t to u"),
            oms_default(31, {"id": 1, "a": "x"}, {"id": 1, "a": "y"}, table="u"),
        ],
        current=[live(id=1, a="y")],
        meanwhile={1: [live(id=1, a="x")]},
        history=[version(1, 3, id=1, a="x"), version(3, None, id=1, a="y")],
    ),
    Case(
        "A late rename moves what came after it",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "x"}),
                oms_default(31, None, {"id": 2, "a": "y"}, table="u"),
            ),
            oms_statement(20, "alter table t rename to u"),
        ],
        current=[live(id=1, a="x"), live(id=2, a="y")],
    ),
    Case(
        "Two tables change names",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "t"}),
                oms_default(12, None, {"id": 1, "a": "u"}, table="u"),
            ),
            oms_statement(20, "rename table t to x, u to t, x to u"),
            oms_default(31, {"id": 1, "a": "u"}, {"id": 1, "a": "now t"}),
        ],
        current=[live(id=1, a="t"), live(id=1, a="now t")],
    ),
    Case(
        "Two tables with different keys change names",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "t"}),
                oms_default(12, None, {"id": 1, "part": "n", "a": "u"}, table="u"),
            ),
            oms_statement(20, "rename table t to x, u to t, x to u"),
            oms_default(31, {"id": 1, "a": "t"}, {"id": 1, "a": "now u"}, table="u"),
        ],
        current=[live(id=1, a="now u"), WITH_PART],
        meanwhile={1: [live(id=1, a="t"), WITH_PART]},
    ),
    Case(
        "A late statement folds every table anew that shares a name",
        batches=[
            written(
                oms_default(21, None, {"a": 1}, table="u"),
                oms_default(61, None, {"a": 1}, table="u"),
            ),
            oms_statement_with_sequence(50, "rename table t to u"),
            oms_statement_with_sequence(55, "rename table u to w"),
        ],
        # After the second rename the name is free for another table.
        current=[copies(1, a=1), copies(1, a=1)],
        meanwhile={0: [copies(2, a=1)]},
    ),
]

COLUMNS = [
    Case(
        "A key of the topic's settings follows a column that is renamed",
        batches=[
            keyed_by(
                [],
                written(
                    oms_canal(1, None, {"id": 1, "a": "x"}),
                    oms_canal(2, None, {"id": 2, "a": "y"}),
                ),
            ),
            canal_statement(3, "alter table t rename column id to uid"),
            keyed_by(
                [],
                written(
                    oms_canal(4, {"uid": 1, "a": "x"}, {"uid": 1, "a": "z"}),
                    oms_canal(5, {"uid": 2, "a": "y"}, None),
                ),
            ),
        ],
        current=[Live({"uid": "1", "a": "z"}, {"uid": "1"})],
        settings={0: KEYED},
    ),
    Case(
        "Rows of before an ALTER are shown with the present columns",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "x", "b": "1"}),
                oms_statement(20, "alter table t add column c varchar(9) default 'd', drop b"),
            ),
            oms_default(31, None, {"id": 2, "a": "y", "c": "z"}),
            oms_statement(40, "alter table t rename column a to name, add e int"),
        ],
        current=[live(id=1, name="x", c="d", e=None), live(id=2, name="y", c="z", e=None)],
        meanwhile={0: [live(id=1, a="x", c="d")]},
    ),
    Case(
        "A partition's TRUNCATE and a text that nobody can read do nothing",
        batches=[
            written(
                oms_default(11, None, {"id": 1, "a": "x"}),
                oms_statement(20, "alter table t truncate partition p0"),
                oms_statement(20, "hocus pocus table t"),
            )
        ],
        current=[live(id=1, a="x")],
    ),
]

DDL_CASES = [*POSITIONAL, *FLOORS, *NAMES, *COLUMNS]
