"""What a statement does to columns and keys: definitions, constraints, ALTER's actions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from python_udfs.ddl_words import END, Words


@dataclass
class Table:
    """A table that a statement acts on. None: the text does not say; ``new_…``: not renamed."""

    database_name: str | None = None
    schema_name: str | None = None
    table_name: str | None = None
    new_database_name: str | None = None
    new_schema_name: str | None = None
    new_table_name: str | None = None

    def rename(self, new: "Table") -> "Table":
        """Take the name of another table as the new one; returns this table."""
        self.new_database_name = new.database_name
        self.new_schema_name = new.schema_name
        self.new_table_name = new.table_name
        return self


@dataclass
class ColumnChange:
    """What happens to one column.

    ``action``: add, drop, rename, modify, set_default or drop_default; a rename that also defines
    the column (CHANGE) carries its type and place. ``data_type`` is as written. Where the text is
    silent, ``data_type`` and ``is_nullable`` are None. ``default_value`` is the text of a constant,
    None for an expression.
    """

    action: str
    column_name: str
    new_name: str | None = None
    data_type: str | None = None
    after: str | None = None
    is_first: bool = False
    is_nullable: bool | None = None
    default_value: str | None = None


@dataclass
class Statement:
    """One statement.

    ``kind``: verb and object in lower case (create_table, drop_temporary_table, truncate_partition
    …), or unknown. ``tables`` come in the text's order; behind its own table, create_table_like
    names the models and exchange_partition the other table. ``key_columns``: the primary key that
    the statement sets, empty when it takes the key away or creates a table without one, None when
    it does not touch it or takes the model's. ``if_exists``: IF EXISTS or IF NOT EXISTS was said.
    """

    kind: str = "unknown"
    tables: list[Table] = field(default_factory=list)
    column_changes: list[ColumnChange] = field(default_factory=list)
    key_columns: list[str] | None = None
    if_exists: bool = False

    def add_key_column(self, column_name: str) -> None:
        """Append a column to the primary key that the statement sets."""
        self.key_columns = self.key_columns or []
        self.key_columns.append(column_name)

    def forbid_null_keys(self) -> None:
        """A key's columns are never NULL, wherever the key was written."""
        keys = set(self.key_columns or [])
        for change in self.column_changes:
            if change.column_name in keys:
                change.is_nullable = False

    def to_dict(self) -> dict[str, Any]:
        """The statement as an item of ``statements`` in DDL_TYPE."""
        return vars(self) | {
            "tables": [vars(table) for table in self.tables],
            "column_changes": [vars(change) for change in self.column_changes],
        }


def read_table(words: Words) -> Table:
    """A table's name. Two parts are database and table in MySQL, schema and table elsewhere."""
    words.accept("ONLY")
    *qualifiers, table_name = words.full_name()
    words.accept("*")  # PostgreSQL: the table and its children
    if words.dialect == "mysql" and len(qualifiers) == 1:
        return Table(database_name=qualifiers[0], table_name=table_name)
    database_name, schema_name = [None, None, *qualifiers][-2:]
    return Table(database_name, schema_name, table_name)


def accept_if_exists(words: Words) -> bool:
    """Step over IF EXISTS or IF NOT EXISTS; whether one of them stood here."""
    return words.accept("IF", "EXISTS") or words.accept("IF", "NOT", "EXISTS")


def read_table_item(item: Words, statement: Statement) -> bool:
    """One item of CREATE TABLE (…) or ADD (…); whether it is a LIKE that brings a key."""
    if item.accept("LIKE"):
        return read_like(item, statement)
    if _is_constraint(item):
        _read_constraint(item, statement)
    else:
        _read_column(item, "add", statement)
    return False


def read_like(words: Words, statement: Statement) -> bool:
    """The model behind LIKE; whether the new table gets its key, too, as always in MySQL."""
    statement.tables.append(read_table(words))
    has_key = words.dialect == "mysql"
    while said := words.accept_any("INCLUDING", "EXCLUDING"):
        if words.accept_any("ALL", "INDEXES"):
            has_key = said == "INCLUDING"
        else:
            words.at += 1
    return has_key


def read_actions(words: Words, statement: Statement) -> Statement:
    """The actions of ALTER TABLE, up to the end; table options and the like do nothing here."""
    kinds = set()
    while words.word() != END:
        action = ACTIONS.get(words.word())
        if action:
            words.at += 1
            kinds.add(action(words, statement))
        else:
            words.step()
    only_kind = len(kinds) == 1 and not statement.column_changes
    statement.kind = kinds.pop() if only_kind else "alter_table"
    statement.forbid_null_keys()
    return statement


# --- definitions

_INDEX_WORDS = {"GLOBAL", "LOCAL", "CLUSTERED", "CLUSTERING", "VECTOR"}
_NO_COLUMNS = {
    *(("CHECK", "("), ("EXCLUDE", "USING"), ("EXCLUDE", "("), ("SYSTEM", "VERSIONING")),
    *(("PERIOD", "FOR"), ("PERIOD", "IF"), ("SUPPLEMENTAL", "LOG"), ("SCOPE", "FOR")),
    *(("CLUSTERING", "BY"), ("CLUSTERING", "YES"), ("CLUSTERING", "NO")),
}
# DB2's words of tables that keep their history.
_OF_HISTORY = {
    *(("VERSIONING", "USE"), ("VERSIONING", END)),
    *(("PERIOD", "SYSTEM_TIME"), ("PERIOD", "BUSINESS_TIME")),
}
# What follows Oracle's ADD OVERFLOW, where a column would have its type.
_OF_SEGMENTS = {END, "(", "INCLUDING", "INITRANS", "PCTFREE", "STORAGE", "TABLESPACE"}
# Oracle and DB2 put no comma between actions.
_ACTION_ENDS = (",", "ADD", "DROP", "MODIFY", "ALTER", "RENAME")


def _read_column(words: Words, action: str, statement: Statement) -> None:
    change = ColumnChange(action, words.name())
    _read_definition(words, change, statement)
    statement.column_changes.append(change)


def _read_definition(words: Words, change: ColumnChange, statement: Statement) -> None:
    """What follows a column's name, up to the next column or action."""
    change.data_type = words.data_type()
    while words.word() != END and words.word() not in _ACTION_ENDS:
        if words.accept("NOT", "NULL"):
            change.is_nullable = False
        elif words.accept("SET", "NULL") or words.accept("SET", "DEFAULT"):
            pass  # REFERENCES … ON DELETE SET NULL
        elif words.accept("BY", "DEFAULT", "ON", "NULL") or words.accept("BY", "DEFAULT"):
            pass  # GENERATED BY DEFAULT AS IDENTITY
        elif words.accept("UNIQUE", "KEY"):
            pass
        elif words.accept("NULL"):
            change.is_nullable = True
        elif words.accept("DEFAULT"):
            words.accept("ON", "NULL")
            change.default_value = words.constant()
        elif words.accept("FOREIGN", "KEY"):
            pass
        elif words.accept("PRIMARY", "KEY") or words.accept_any("PRIMARY", "KEY"):
            statement.add_key_column(change.new_name or change.column_name)
            change.is_nullable = False
        elif words.accept("FIRST"):
            change.is_first = True
        elif words.accept("AFTER"):
            change.after = words.name()
        else:
            words.step()


def _is_constraint(words: Words) -> bool:
    """Whether a key, an index or a check stands here, not a column of that name."""
    word, following = words.word(), words.word(1)
    if words.dialect == "mysql" and word in {"INDEX", "KEY", "FULLTEXT", "SPATIAL"}:
        return True  # names elsewhere: Oracle's "key varchar2(30)"
    if following in {"INDEX", "KEY"} and word in _INDEX_WORDS:
        return True
    return (
        word in {"CONSTRAINT", "UNIQUE"}
        or (word in {"INDEX", "DEFAULT"} and words.dialect == "tsql")
        or (word in {"PRIMARY", "FOREIGN"} and following == "KEY")
        or (word, following) in _NO_COLUMNS
        or (words.dialect == "db2" and (word, following) in _OF_HISTORY)
        or (word == "OVERFLOW" and following in _OF_SEGMENTS)
    )


def _read_constraint(words: Words, statement: Statement) -> None:
    if words.accept("CONSTRAINT") and words.word() not in {"PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}:
        words.name()
    if words.accept("PRIMARY", "KEY"):
        words.step_to("(", ",")
        if words.word() == "(":
            statement.key_columns = [column.name() for column in words.bracket()]
    elif words.accept("DEFAULT"):
        # SQL Server: ADD CONSTRAINT c DEFAULT 5 FOR a
        value = words.constant()
        words.step_to("FOR", ",")
        if words.accept("FOR"):
            change = ColumnChange("set_default", words.name(), default_value=value)
            statement.column_changes.append(change)
    words.step_to(*_ACTION_ENDS)
    if words.accept("ADD", "EXTRA", "ROW"):  # DB2: ADD VERSIONING … ON DELETE ADD EXTRA ROW
        words.step_to(*_ACTION_ENDS)


# --- actions: each reads to its own end and says the kind that a statement of only it has


def _add(words: Words, statement: Statement) -> str:
    if _is_partition(words):
        words.step_to(END)
        return "add_partition"
    if _is_group(words):
        words.step_to(*_ACTION_ENDS)
        return "alter_table"
    words.accept("COLUMN")
    accept_if_exists(words)
    if words.word() == "(":
        for item in words.bracket():
            read_table_item(item, statement)
        return "alter_table"
    read_table_item(words, statement)
    while words.dialect == "tsql" and words.accept(","):
        read_table_item(words, statement)
    return "alter_table"


def _drop(words: Words, statement: Statement) -> str:
    if _is_partition(words):
        words.step_to(END)
        return "drop_partition"
    if words.dialect == "tsql":
        return _drop_in_sql_server(words, statement)
    if words.accept("PRIMARY", "KEY") or accept_primary_index(words, "INDEX", "KEY", "CONSTRAINT"):
        # MySQL drops before it adds, whatever comes first.
        statement.key_columns = statement.key_columns or []
    elif not _is_no_column(words):
        _drop_columns(words, statement)
    words.step_to(*_ACTION_ENDS)
    return "alter_table"


def _drop_columns(words: Words, statement: Statement) -> None:
    words.accept("COLUMN")
    accept_if_exists(words)
    for column in words.bracket() if words.word() == "(" else [words]:
        statement.column_changes.append(ColumnChange("drop", column.name()))


def accept_primary_index(words: Words, *things: str) -> bool:
    """MySQL's other name of the key: DROP INDEX `PRIMARY`; no step where it does not stand here."""
    start = words.at
    if words.dialect == "mysql" and (not things or words.accept_any(*things)):
        accept_if_exists(words)
        if words.word() != END and words.name().casefold() == "primary":
            return True
    words.at = start
    return False


def _is_partition(words: Words) -> bool:
    """Whether a partition stands here; PostgreSQL and SQL Server may call a column so."""
    is_said = words.word() in {"PARTITION", "SUBPARTITION"}
    return is_said and words.dialect not in {"postgres", "tsql"}


def _is_group(words: Words) -> bool:
    """Whether OceanBase's COLUMN GROUP (each column) or [ADD] TABLEGROUP g stands here."""
    word, following, last = (words.word(place) for place in range(3))
    if word == "TABLEGROUP" and words.dialect in {"mysql", "oracle"}:
        return bool({END, ","}.intersection((following, last)))
    return (word, following, last) == ("COLUMN", "GROUP", "(")


def _is_no_column(words: Words) -> bool:
    """Whether DROP is of something else: a key, a constraint, MySQL's CHECK c, a group."""
    is_check = words.word() == "CHECK" and words.word(1) not in {END, *_ACTION_ENDS}
    is_bare = words.word() not in {"COLUMN", "("}
    return (
        (is_bare and words.dialect == "oracle")  # a column has one of them there
        or is_check
        or _is_group(words)
        or _is_constraint(words)
    )


def _drop_in_sql_server(words: Words, statement: Statement) -> str:
    """DROP COLUMN a, b, CONSTRAINT c: the word holds until another; without one, a constraint."""
    is_column = False
    while True:
        word = words.accept_any("COLUMN", "CONSTRAINT", "PERIOD")
        is_column = word == "COLUMN" if word else is_column
        accept_if_exists(words)
        name = words.name()
        if is_column:
            statement.column_changes.append(ColumnChange("drop", name))
        words.step_to(",")
        if not words.accept(","):
            return "alter_table"


def _modify(words: Words, statement: Statement) -> str:
    if words.word() in {"PARTITION", "SUBPARTITION", "DEFAULT", "NESTED"}:
        words.step_to(END)
        return "alter_table"
    if (words.word(), words.word(1), words.word(2)) == ("PRIMARY", "KEY", "("):
        _read_constraint(words, statement)  # OceanBase's Oracle mode: another key
        return "alter_table"
    if _is_constraint(words) or (words.word(), words.word(1)) == ("LOB", "("):
        words.step_to(*_ACTION_ENDS)
        return "alter_table"
    words.accept("COLUMN")
    accept_if_exists(words)
    for item in words.bracket() if words.word() == "(" else [words]:
        _read_column(item, "modify", statement)
    return "alter_table"


def _change(words: Words, statement: Statement) -> str:
    words.accept("COLUMN")
    accept_if_exists(words)
    old, new = words.name(), words.name()
    change = ColumnChange("modify", old) if old == new else ColumnChange("rename", old, new)
    _read_definition(words, change, statement)
    statement.column_changes.append(change)
    return "alter_table"


def _alter(words: Words, statement: Statement) -> str:
    if words.word() == "CHECK" or _is_constraint(words):
        words.step_to(",")
        return "alter_table"
    words.accept("COLUMN")
    accept_if_exists(words)
    change = ColumnChange("modify", words.name())
    if words.accept("SET", "DEFAULT"):
        change.action, change.default_value = "set_default", words.constant()
    elif words.accept("DROP", "DEFAULT"):
        change.action = "drop_default"
    elif words.accept("SET", "NOT", "NULL"):
        change.is_nullable = False
    elif words.accept("DROP", "NOT", "NULL"):
        change.is_nullable = True
    elif words.accept("SET", "DATA", "TYPE") or words.accept("TYPE"):
        change.data_type = words.data_type()
    elif words.word() in {"SET", "ADD", "DROP", "RESET", "RESTART"}:
        words.step_to(",")
        return "alter_table"
    else:
        _read_definition(words, change, statement)
    statement.column_changes.append(change)
    words.step_to(*_ACTION_ENDS)
    return "alter_table"


def _rename(words: Words, statement: Statement) -> str:
    is_part = words.word() in {"INDEX", "KEY", "CONSTRAINT", "PARTITION", "SUBPARTITION"}
    if is_part and (words.word(2) == "TO" or (words.word(1), words.word(2)) == ("IF", "EXISTS")):
        words.step_to(",")
        return "alter_table"
    if words.accept("COLUMN") or (words.word(1) == "TO" and words.word() != "TO"):
        accept_if_exists(words)
        old = words.name()
        words.expect("TO")
        statement.column_changes.append(ColumnChange("rename", old, words.name()))
        return "alter_table"
    words.accept_any("TO", "AS", "=")
    new = read_table(words)
    table = statement.tables[0] if statement.tables else Table()
    if words.dialect != "mysql":  # there a bare name lies in the session's database
        new.database_name = new.database_name or table.database_name
        new.schema_name = new.schema_name or table.schema_name
    statement.tables = [table.rename(new)]
    return "rename_table"


def _set(words: Words, statement: Statement) -> str:
    if words.accept("SCHEMA"):
        new_schema = words.name()
        for table in statement.tables:
            table.rename(Table(table.database_name, new_schema, table.table_name))
        return "rename_table"
    is_unused = words.accept("UNUSED")
    if is_unused:
        _drop_columns(words, statement)  # Oracle: gone for everybody, only its bytes stay
    words.step_to(*_ACTION_ENDS if is_unused else ",")
    return "alter_table"


def _exchange(words: Words, statement: Statement) -> str:
    """EXCHANGE PARTITION p WITH TABLE x; SQL Server's SWITCH [PARTITION n] TO x."""
    words.step_to("TABLE", "TO")
    words.at += 1
    statement.tables.append(read_table(words))
    words.step_to(END)
    return "exchange_partition"


def _on_partition(kind: str) -> Callable[[Words, Statement], str]:
    def read(words: Words, statement: Statement) -> str:
        is_partition = words.word() in {"PARTITION", "SUBPARTITION"}
        words.step_to(END)
        return kind if is_partition else "alter_table"

    return read


ACTIONS: dict[str, Callable[[Words, Statement], str]] = {
    "ADD": _add,
    "DROP": _drop,
    "MODIFY": _modify,
    "CHANGE": _change,
    "ALTER": _alter,
    "RENAME": _rename,
    "SET": _set,
    "EXCHANGE": _exchange,
    "SWITCH": _exchange,
    "TRUNCATE": _on_partition("truncate_partition"),
    "ATTACH": _on_partition("attach_partition"),
    "DETACH": _on_partition("detach_partition"),
}
