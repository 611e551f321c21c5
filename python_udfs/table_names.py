"""Which table a name in a statement's text means."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Name(NamedTuple):
    """A table's full name; None for a part that its source's messages do not use."""

    database_name: str | None
    schema_name: str | None
    table_name: str | None


class NameBook:
    """The tables of a source that are known by name: from its rows and its statements."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._names = set(names)

    def tables_in(self, database_name: str | None, schema_name: str | None) -> list[Name]:
        """Every known table of a database or schema."""
        wanted = {_fold(part) for part in (database_name, schema_name)} - {""}
        return sorted(
            (name for name in self._names if wanted <= {_fold(name[0]), _fold(name[1])}), key=str
        )

    def find(self, written: dict[str, Any], own: Name | None, default: Name, is_only: bool) -> Name:
        """The table that a text means.

        The message's own table wins where the text's is equal without case and database; else an
        exact name; else one that is unique without case; else it is a new table.

        ``written``: the parts as in the text. ``own``: the message's table. ``default``: where
        an unqualified name lies. ``is_only``: the statement names no other table.
        """
        table_name = _fold(written["table_name"])
        qualifiers = {_fold(written["database_name"]), _fold(written["schema_name"])} - {""}
        if own and _fold(own.table_name) == table_name and (is_only or qualifiers <= _places(own)):
            return own
        name = Name(
            written["database_name"] or default.database_name,
            written["schema_name"] or default.schema_name,
            written["table_name"],
        )
        if name in self._names:
            return name
        places = qualifiers or _places(default)
        alike = [
            known
            for known in self._names
            if _fold(known.table_name) == table_name and places <= _places(known)
        ]
        found = alike[0] if len(alike) == 1 else name
        self._names.add(found)
        return found


def _places(name: Name) -> set[str]:
    return {_fold(name.database_name), _fold(name.schema_name)} - {""}


def _fold(part: str | None) -> str:
    return (part or "").casefold()
