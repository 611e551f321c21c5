"""Writes a typed gold model: its SQL, its YAML, and its name in the list of gold.cast_failures.

dbt's Jinja cannot write files. ``dbt run-operation write_model`` finds what the log knows of a
table and calls :func:`write_typed_model`, which every dbt context has as ``modules.onelog``.
"""

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from dbt.flags import get_flags
from dbt_common.exceptions import CompilationError

from landing.typed.declared_types import typed_macro
from python_udfs.ddl import dialect_of

if TYPE_CHECKING:
    import agate

FOLDER = Path("models/gold/typed")
LIST = Path("models/gold/cast_failures.sql")
# The columns that every typed model has; a table's own columns of these names get others.
OWN_COLUMNS = {
    "state_id": "string",
    "copies": "int",
    "change_id": "string",
    "event_at": "timestamp",
    "is_live": "boolean",
    "built_at": "timestamp",
    "cast_failures": "array<struct<column_name: string, value: string>>",
}
READ_COLUMNS = {"row", "value_encoding", "column_types", "time_zone"}
TABLE_PARTS = ("source", "database_name", "schema_name", "table_name")
# https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#sql-keywords
_WORDS = """
    all and anti any as authorization both case cast check collate collation column constraint
    create cross current_date current_time current_timestamp current_user distinct else end escape
    except execute exists false fetch filter for foreign from full grant group having in inner
    intersect into is join lateral leading left minus natural not null offset on only or order outer
    overlaps primary references right select semi session_user some sql table then to trailing true
    union unique unknown user using when where with within
"""
RESERVED_WORDS = set(_WORDS.split())
LONGEST_NAME = 60
LONGEST_LINE = 100
MOST_SHOWN = 50


def choose_table(
    known: "agate.Table",
    source: str,
    database_name: str | None,
    schema_name: str | None,
    table_name: str,
) -> dict[str, str | None]:
    """The one known table of these names, by the names asked for; one that is None may be any.

    ``known``: source, database_name, schema_name, table_name, table_id and database_names (as
    logged_tables has them). Any of a table's names for its database will do.
    Raises CompilationError, which says what there is to choose from, for none and for several.
    """
    asked = zip(TABLE_PARTS, (source, database_name, schema_name, table_name), strict=True)
    wanted = {part: str(name) for part, name in asked if name is not None}
    tables = [row.dict() for row in known.rows]
    other_parts = {part: name for part, name in wanted.items() if part != "database_name"}
    found = [
        table
        for table in tables
        if other_parts.items() <= table.items()
        and wanted.get("database_name") in {None, *_databases(table)}
    ]
    if len(found) == 1:
        return found[0] | wanted
    nearest = sorted(tables, key=lambda table: -len(wanted.items() & table.items()))
    choice = [_said(table) for table in found or nearest]
    listed = "; ".join(choice[:MOST_SHOWN]) + ("; ..." if len(choice) > MOST_SHOWN else "")
    problem = "several tables match" if found else "there is no table"
    raise CompilationError(f"{problem} {_said(wanted)}. The log has: {listed or 'none'}")


def _databases(table: Mapping[str, str]) -> set[str]:
    """The names of a table's database: as messages spell it, and without OMS's tenant."""
    spelled: list[str] = json.loads(table["database_names"])
    identity: str | None = json.loads(table["table_id"])[1]
    without_tenant = [identity for name in spelled if identity and name.endswith(f".{identity}")]
    return {*spelled, *without_tenant}


def _said(table: Mapping[str, str | None]) -> str:
    """A table's names as `--args` takes them."""
    named = (f"{part}: {table[part]}" for part in TABLE_PARTS if table.get(part))
    return "{" + ", ".join(named) + "}"


def write_typed_model(
    table: Mapping[str, str | None],
    known_columns: "agate.Table",
    name: str | None,
    taken_names: Iterable[str],
) -> str:
    """Write the model of a table; returns the line that says so.

    ``table``: source, database_name, schema_name, table_name. ``known_columns``: name, data_type
    (the vendor's word or None), is_stated (whether a statement or a seed says it), database_type
    (the kind of database that statements are of), value_encoding, is_key, in order. Without
    ``name`` the model is called as the table, or with the source before it where that name is
    taken. Raises CompilationError for a name that is none or taken: nothing is written then.
    """
    columns = [row.dict() for row in known_columns.rows]
    project = Path(get_flags().PROJECT_DIR)
    folder, listing = project / FOLDER, project / LIST
    macros = _macros_of(project)
    if name is None:
        # A model that is there already is most likely this table's own.
        others = set(taken_names) - {path.stem for path in folder.glob("*.sql")}
        name = _model_name(table, {*others, *RESERVED_WORDS})
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise CompilationError(f"{name!r} is no name for a model: use a-z, 0-9 and _, a-z first")
    aliases = _aliases([column["name"] for column in columns])
    files = {
        folder / f"{name}.sql": _model_sql(table, columns, aliases, macros),
        folder / f"{name}.yml": _model_yaml(name, columns, aliases),
    }
    if name in taken_names or any(path.exists() for path in files):
        raise CompilationError(
            f"there is a model {name} already: give the new one another model_name"
        )
    new_listing = _with_name(listing.read_text(), name)
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        with path.open("x") as file:
            file.write(text)
    listing.write_text(new_listing)
    return f"wrote {FOLDER / name}.sql and .yml ({len(columns)} columns) and added it to {LIST}"


def _macros_of(project: Path) -> str:
    """What stands before the name of one of onelog's macros in a model of this project."""
    name = yaml.safe_load((project / "dbt_project.yml").read_text())["name"]
    return "" if name == "onelog" else "onelog."


def _identifier(text: str) -> str:
    """Letters, digits and single underscores of a text in lower case; may be empty."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:LONGEST_NAME].strip("_")


def _model_name(table: Mapping[str, str | None], taken: set[str]) -> str:
    name = _identifier(table["table_name"] or "")
    if name in taken or not name[:1].isalpha():
        name = _identifier(f"{table['source']} {name or 'table'}")
    return name if name[:1].isalpha() else f"source_{name}"


def _aliases(names: Sequence[str]) -> dict[str, str]:
    """A column name for each of a table's own: its own where that is plain, all different."""
    taken = {*OWN_COLUMNS, *READ_COLUMNS, *RESERVED_WORDS}
    plain = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}")
    aliases = {name: name for name in names if plain.fullmatch(name) and name not in taken}
    used = taken | set(aliases)
    for place, name in enumerate(names, 1):
        stem = _identifier(name)
        if not stem[:1].isalpha():
            stem = f"column_{stem or place}"
        if stem in taken:
            stem += "_column"
        others = (f"{stem}_{number}" for number in itertools.count(2))
        if name not in aliases:
            aliases[name] = next(
                alias for alias in itertools.chain([stem], others) if alias not in used
            )
            used.add(aliases[name])
    return aliases


def _jinja_text(text: str | None) -> str:
    """A text as a literal in Jinja, whose escapes are Python's."""
    if text is None:
        return "none"
    return "'" + re.sub(r"[^\w .,:/$-]", _escape, text) + "'"


def _escape(character: re.Match[str]) -> str:
    code = ord(character[0])
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"


def _model_sql(
    table: Mapping[str, str | None],
    columns: Sequence[Mapping[str, Any]],
    aliases: Mapping[str, str],
    macros: str,
) -> str:
    given = {part: table[part] for part in TABLE_PARTS if part != "schema_name" or table[part]}
    named = [f"{part}={_jinja_text(name)}" for part, name in given.items()]
    arguments = ", ".join(named)
    if len(arguments) > LONGEST_LINE - len(f"    {{{{ {macros}changed_rows() }}}}"):
        arguments = "\n        " + ",\n        ".join(named) + "\n    "
    return _MODEL.format(
        rows=f"{{{{ {macros}changed_rows({arguments}) }}}}",
        columns=",\n        ".join(
            f"{{{{ {macros}{_macro_call(column)} }}}} as {aliases[column['name']]}"
            for column in columns
        ),
        read_columns=", ".join(sorted(READ_COLUMNS)),
        failures=f"{{{{ {macros}cast_failures() }}}}",
    )


_MODEL = """with changed as (

    {rows}

),

typed as (

    select
        *,
        {columns}
    from changed

)

select
    * except ({read_columns}),
    {failures} as cast_failures
from typed
"""


def _macro_call(column: Mapping[str, Any]) -> str:
    macro, arguments, _ = _typed_macro(column)
    return f"{macro}({', '.join([_jinja_text(column['name']), *map(str, arguments)])})"


def _typed_macro(column: Mapping[str, Any]) -> tuple[str, list[int], str]:
    dialect = dialect_of(column["database_type"]) if column["is_stated"] else None
    return typed_macro(column["data_type"], column["value_encoding"], dialect)


def _model_yaml(name: str, columns: Sequence[Mapping[str, Any]], aliases: Mapping[str, str]) -> str:
    own: dict[str, dict[str, Any]] = {
        column: {
            "name": column,
            "data_type": data_type,
            "description": f'{{{{ doc("typed_{column}") }}}}',
        }
        for column, data_type in OWN_COLUMNS.items()
    }
    own["state_id"]["data_tests"] = ["unique", "not_null"]
    failures = own.pop("cast_failures")
    key_tests = (
        ["not_null", "unique"] if sum(column["is_key"] for column in columns) == 1 else ["not_null"]
    )
    described = [_column_yaml(column, aliases[column["name"]], key_tests) for column in columns]
    model = {
        "name": name,
        "description": "Live rows of one source table, typed. Written by write_model.",
        "columns": [*own.values(), *described, failures],
    }
    return yaml.safe_dump(
        {"version": 2, "models": [model]}, sort_keys=False, allow_unicode=True, width=100
    )


def _column_yaml(column: Mapping[str, Any], alias: str, key_tests: Sequence[str]) -> dict[str, Any]:
    _, _, data_type = _typed_macro(column)
    declared = re.sub(r"[^\w ,.()]", "", column["data_type"] or "")[:LONGEST_NAME]
    described: dict[str, Any] = {
        "name": alias,
        "data_type": data_type,
        "description": f"Declared as {declared}." if declared else "No declared type is known.",
    }
    if alias != column["name"]:
        # dbt renders YAML, where braces would be Jinja, and a line break or nothing is lost.
        is_plain = re.fullmatch(r"[^{}%#\x00-\x1f\x85\u2028\u2029]+", column["name"])
        source_column = column["name"] if is_plain else f"{{{{ {_jinja_text(column['name'])} }}}}"
        described["config"] = {"meta": {"source_column": source_column}}
    if column["is_key"]:
        # A key that does not fit its type is what a vendor may send.
        described["description"] += " Part of the key."
        described["data_tests"] = [{test: {"config": {"severity": "warn"}}} for test in key_tests]
    return described


def _with_name(listing: str, name: str) -> str:
    """The text of cast_failures.sql with one name more at the end of its list."""
    start = listing.find("typed_models = [")
    end = listing.find("\n] %}", start)
    if start < 0 or end < 0:
        raise CompilationError(f"{LIST} has no list `typed_models = [ … ]` to add the model to")
    return f"{listing[:end]}\n    '{name}',{listing[end:]}"
