"""Which table a name in a statement's text means."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Name(NamedTuple):
    """A table's full name; None for a part that its source's messages do not use."""

    database_name: str | None
    schema_name: str | None
    table_name: str | None


class NameBook:
    """The tables of a source that are known by name: from its rows and its statements."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._names: set[Name] = set()
        self._by_table: defaultdict[str, list[Name]] = defaultdict(list)
        for name in names:
            self._add(name)

    def tables_in(self, database_name: str | None, schema_name: str | None) -> list[Name]:
        """Every known table of a database or schema."""
        if not (database_name or schema_name):
            return []
        return sorted(_alike(self._names, Name(database_name, schema_name, None)), key=str)

    def find(self, written: dict[str, Any], own: Name | None, default: Name, is_only: bool) -> Name:
        """The table that a text means.

        The message's own table wins where the text's is equal without case and database; else an
        exact name; else one that is unique without case; else it is a new table.

        ``written``: the parts as in the text. ``own``: the message's table. ``default``: where
        an unqualified name lies. ``is_only``: the statement names no other table.
        """
        said = Name(written["database_name"], written["schema_name"], written["table_name"])
        if own and _is_own(own, said, is_only):
            return own
        name = Name(
            said.database_name or default.database_name,
            said.schema_name or default.schema_name,
            said.table_name,
        )
        if name in self._names:
            return name
        if not (said.database_name or said.schema_name):
            said = name
        alike = _alike(self._by_table[_fold(said.table_name)], said)
        found = alike[0] if len(alike) == 1 else name
        self._add(found)
        return found

    def _add(self, name: Name) -> None:
        if name not in self._names:
            self._names.add(name)
            self._by_table[_fold(name.table_name)].append(name)


def _is_own(own: Name, said: Name, is_only: bool) -> bool:
    """Whether a text means the message's table: its database counts only beside other tables."""
    if is_only:
        said = Name(None, own.schema_name and said.schema_name, said.table_name)
    return _has(own, said, str.casefold)


def _alike(names: Iterable[Name], said: Name) -> list[Name]:
    """The names that have these parts; in another case only where none has them as they are."""
    for spelled in (str, str.casefold):
        found = [name for name in names if _has(name, said, spelled)]
        if found:
            return found
    return []


def _has(name: Name, said: Name, spelled: Callable[[str], str]) -> bool:
    """Whether a name has the parts that are said.

    Messages that tell only one of database and schema (AWS DMS: MySQL's database as the schema)
    may have the other one's in its place.
    """
    database_name, schema_name, table_name = name
    there = (database_name or schema_name, schema_name or database_name, table_name)
    return all(
        not part or spelled(part) == spelled(known or "")
        for part, known in zip(said, there, strict=True)
    )


def _fold(part: str | None) -> str:
    return (part or "").casefold()
