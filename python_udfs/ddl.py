"""What a DDL text does: which tables, which columns, which key. It never fails, it says why not.

sqlglot's tokenizer reads the text; the walk over its words is ours. Its syntax trees leave much of
what a change log carries opaque or refuse it (RENAME TABLE of several tables, RENAME AS, ADD COLUMN
(…), Oracle's MODIFY and storage clauses, partitions, version comments), misread PostgreSQL's RENAME
a TO b, and do not keep a type as it was written; two ways to read a column would not agree.
"""

import functools
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from python_udfs.ddl_columns import (
    ColumnChange,
    Statement,
    Table,
    accept_if_exists,
    accept_primary_index,
    read_actions,
    read_like,
    read_table,
    read_table_item,
)
from python_udfs.ddl_words import END, UnreadableError, Words, words_of

MAX_LENGTH = 200_000  # characters: what the tokenizer reads in about a second

# The dialect by a part of the vendor's word for the source; any other source is MySQL's kin.
_DIALECTS = {
    "oracle": "oracle",
    "postgres": "postgres",
    "sqlserver": "tsql",
    "sql server": "tsql",
    "mssql": "tsql",
    "tsql": "tsql",
    "db2": "db2",
}

_TABLE = {name: pa.string() for name in Table.__dataclass_fields__}
_COLUMN_CHANGE = {name: pa.string() for name in ColumnChange.__dataclass_fields__} | {
    "is_first": pa.bool_(),
    "is_nullable": pa.bool_(),
}
_STATEMENT = {
    "kind": pa.string(),
    "tables": pa.list_(pa.struct(_TABLE)),
    "column_changes": pa.list_(pa.struct(_COLUMN_CHANGE)),
    "key_columns": pa.list_(pa.string()),
    "if_exists": pa.bool_(),
}
DDL_TYPE = pa.struct({"statements": pa.list_(pa.struct(_STATEMENT)), "parse_error": pa.string()})


def sql_type(arrow_type: pa.DataType) -> str:
    """The same type in Spark's words."""
    if pa.types.is_list(arrow_type):
        return f"array<{sql_type(arrow_type.value_type)}>"
    if pa.types.is_struct(arrow_type):
        fields = (f"{field.name}: {sql_type(field.type)}" for field in arrow_type)
        return f"struct<{', '.join(fields)}>"
    names = {"bool": "boolean", "int32": "int", "int64": "bigint"}
    return names.get(str(arrow_type), str(arrow_type))


DDL_SQL_TYPE = sql_type(DDL_TYPE)


def parse_ddl(texts: pa.Array, sources: pa.Array) -> pa.Array:
    """The statements of each text, as DDL_TYPE; NULL for NULL. ``sources`` as for read_ddl."""
    pairs = list(zip(texts.to_pylist(), sources.to_pylist(), strict=True))
    places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    distinct = [None if text is None else read_ddl(text, source) for text, source in places]
    return pa.array(distinct, DDL_TYPE).take(pa.array([places[pair] for pair in pairs], pa.int64()))


def read_ddl(text: str, source: str | None = None) -> dict[str, Any]:
    """One text's ``{"statements": […], "parse_error": …}``; each statement as Statement has it.

    ``source`` as for dialect_of. ``parse_error``: why a statement's kind is unknown, in one line.
    """
    return _read_ddl(text, dialect_of(source))


def dialect_of(source: str | None) -> str:
    """The dialect of a source's statements.

    ``source``: the kind of database, as the vendor says it in any case (MySQL, OB_IN_ORACLE_MODE,
    PostgreSQL, SQLServer …).
    """
    lower = (source or "").lower()
    return next((_DIALECTS[part] for part in _DIALECTS if part in lower), "mysql")


@functools.lru_cache(maxsize=4096)
def _read_ddl(text: str, dialect: str) -> dict[str, Any]:
    statements, reasons = [], []
    try:
        parts = _split(text, dialect)
    except UnreadableError as error:
        return ddl_result([Statement()], [str(error)])
    for part in parts:
        try:
            statements.append(_read_statement(part))
        except UnreadableError as error:
            statements.append(Statement())
            reasons.append(str(error))
    return ddl_result(statements, reasons if statements else ["the text holds no statement"])


def ddl_result(statements: list[Statement], reasons: list[str]) -> dict[str, Any]:
    """Statements and the reasons why some of them are unknown, as read_ddl gives them."""
    return {
        "statements": [statement.to_dict() for statement in statements],
        "parse_error": "; ".join(reasons[:3]) or None,
    }


def _split(text: str, dialect: str) -> list[Words]:
    """The statements between semicolons; those of a routine's body belong to the routine."""
    if len(text) > MAX_LENGTH:
        raise UnreadableError(f"the text has {len(text)} characters, more than {MAX_LENGTH}")
    words = words_of(text, dialect)
    statements = []
    while words.word() != END:
        start = words.at
        is_body = _opens_body(words)
        words.at = start
        if is_body:
            words.jump_to(END)
        elif dialect == "tsql" and not _TSQL_WHOLE.intersection((words.word(), words.word(1))):
            _step_to_next_in_sql_server(words)
        else:
            words.jump_to(";")
        if words.at > start:
            statements.append(words.part(start, words.at))
        words.accept(";")
    return statements


def _step_to_next_in_sql_server(words: Words) -> None:
    """To the next statement about a table or routine: no semicolon need stand before it."""
    start, depth = words.at, 0
    while words.word() not in {END, ";"}:
        begins = words.word() in _TSQL_VERBS and words.word(1) in {"TABLE", *_ROUTINES}
        if begins and depth <= 0 and words.at > start:
            return
        depth += {"(": 1, ")": -1}.get(words.word(), 0)
        words.at += 1


def _step_over_settings(words: Words) -> None:
    """Over MariaDB's SET STATEMENT a = 1, … FOR: the settings hold for the statement behind it."""
    start, depth = words.at, 0
    if words.accept("SET", "STATEMENT"):
        while words.word() not in {END, ";"} and (depth > 0 or words.word() != "FOR"):
            depth += {"(": 1, ")": -1}.get(words.word(), 0)
            words.at += 1
        if not words.accept("FOR"):
            words.at = start


def _opens_body(words: Words) -> bool:
    _step_over_settings(words)
    first = words.accept_any("CREATE", "ALTER", "BEGIN", "DECLARE")
    if first in ("CREATE", "ALTER"):
        return _step_to_object(words) in _ROUTINES
    # BEGIN alone begins a transaction.
    is_transaction = words.word() in {END, ";", "WORK", "TRAN", "TRANSACTION"}
    return first == "DECLARE" or (first == "BEGIN" and not is_transaction)


_TSQL_VERBS = {"CREATE", "ALTER", "DROP", "TRUNCATE"}
_TSQL_WHOLE = {"GRANT", "DENY", "REVOKE", "IF", "WHILE", "SCHEMA"}  # may hold such words inside


# --- what a statement is about

_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE"}
_OBJECTS = {
    *_ROUTINES,
    *("TABLE", "TABLES", "VIEW", "INDEX", "DATABASE", "SCHEMA", "SEQUENCE", "TYPE", "USER", "ROLE"),
    *("SYNONYM", "TABLESPACE", "TABLEGROUP", "SERVER", "EXTENSION", "DOMAIN", "RULE", "POLICY"),
    *("PUBLICATION", "SUBSCRIPTION", "STATISTICS", "CAST", "OPERATOR", "AGGREGATE", "COLLATION"),
    *("LANGUAGE", "OUTLINE", "RESOURCE", "LOGFILE", "INSTANCE", "SYSTEM", "SESSION", "TENANT"),
    *("LOGIN", "PARTITION", "CONTEXT", "DIRECTORY", "PROFILE", "LIBRARY", "QUEUE", "SERVICE"),
}
_ORACLE_OBJECTS = {("DATABASE", "LINK"), ("VIEW", "LOG")}
_MOST_QUALIFIERS = 24  # words between the verb and the object: definer, algorithm, security …


def _step_to_object(words: Words) -> str:
    """Step to the word that says what is created, altered or dropped; END if none does."""
    start = words.at
    while words.word() not in (END, ";") and words.at - start < _MOST_QUALIFIERS:
        if words.word() in _OBJECTS:
            return words.word()
        if words.accept("DEFINER", "=") and words.word(1) == "@":
            words.at += 2  # what a user is called says nothing of the object
        words.at += 1
    words.at = start
    return END


def _read_object(words: Words) -> tuple[str, list[str]]:
    """The object after CREATE, ALTER or DROP, in lower case, and the words that qualify it."""
    start = words.at
    word = _step_to_object(words)
    if word == END:
        raise UnreadableError(f"expected the kind of an object {words.place()}")
    qualifiers = words.words_from(start)
    words.at += 1
    if word == "SCHEMA" and words.dialect == "mysql":
        word = "DATABASE"
    if words.dialect == "oracle" and (word, words.word()) in _ORACLE_OBJECTS:
        word = f"{word}_{words.word()}"
        words.at += 1
    return {"TABLES": "table", "PROC": "procedure"}.get(word, word.lower()), qualifiers


def _read_names(words: Words, thing: str) -> list[Table]:
    """The names that a statement lists, where they stand for tables: also whole databases."""
    if thing not in {"table", "view", "database", "schema"} or words.word() == "AUTHORIZATION":
        return []
    names = [read_table(words)]
    while words.accept(","):
        names.append(read_table(words))
    if thing == "database":
        return [Table(database_name=name.table_name) for name in names]
    if thing == "schema":
        return [Table(name.schema_name, name.table_name) for name in names]
    return names


def _is_temporary(tables: list[Table], qualifiers: list[str]) -> bool:
    """Whether TEMPORARY was said, or the name is one of SQL Server's temporary tables."""
    said = {"TEMPORARY", "TEMP"}.intersection(qualifiers)
    return bool(said) or all((table.table_name or "").startswith("#") for table in tables)


# --- statements: each reader begins behind the verb


def _read_statement(words: Words) -> Statement:
    _step_over_settings(words)
    verb = words.word()
    is_change = verb == "CHANGE" and words.word(1) not in {"MASTER", "REPLICATION"}
    if is_change or (verb, words.word(1)) in _FRAGMENTS or verb in {"ADD", "MODIFY"}:
        return read_actions(words, Statement())
    if verb in _READERS:
        words.at += 1
        return _READERS[verb](words)
    if verb in _OTHER_VERBS:
        return Statement(kind="other")
    raise UnreadableError(f"no known statement {words.place()}")


def _read_create(words: Words) -> Statement:
    thing, qualifiers = _read_object(words)
    if thing == "table":
        return _read_create_table(words, qualifiers)
    if thing == "index":
        words.step_to("ON")
        words.expect("ON")
        return Statement(kind="create_index", tables=[read_table(words)])
    statement = Statement(kind=f"create_{thing}", if_exists=accept_if_exists(words))
    # One name: a view's columns may follow.
    statement.tables = _read_names(words, thing)[:1]
    return statement


def _read_create_table(words: Words, qualifiers: list[str]) -> Statement:
    statement = Statement(kind="create_table", if_exists=accept_if_exists(words))
    statement.tables = [read_table(words)]
    has_columns = words.word() == "(" and not _opens_query(words)
    has_models_key = False
    if words.accept("LIKE"):
        has_models_key = read_like(words, statement)
    elif words.accept("PARTITION", "OF"):
        statement.tables.append(read_table(words))
        has_models_key = True
    elif has_columns:
        has_models_key = any([read_table_item(item, statement) for item in words.bracket()])
    if words.accept("INHERITS"):
        statement.tables += map(read_table, words.bracket())
    has_model = len(statement.tables) > 1
    is_typed = words.accept("OF")
    is_query = _has_query(words)
    if not (has_columns or has_model or is_query or is_typed):
        raise UnreadableError("a table without columns, model or query")
    if (has_columns or has_model) and not (has_models_key or is_query):
        statement.key_columns = statement.key_columns or []
    statement.forbid_null_keys()
    if _is_temporary(statement.tables[:1], qualifiers):
        statement.kind = "create_temporary_table"
    elif "REPLACE" in qualifiers:
        statement.kind = "create_or_replace_table"
        if is_query:
            statement.column_changes = []  # the query's columns follow those of the text
    elif has_model:
        statement.kind = "create_table_like"
    elif is_query:
        statement.kind = "create_table_as"
    return statement


def _has_query(words: Words) -> bool:
    """Whether a query follows the columns and options: AS …, (SELECT …), MySQL's SELECT, TABLE."""
    bare = {"SELECT", "TABLE"} if words.dialect == "mysql" else {"SELECT"}
    while words.word() != END:
        word, following = words.word(), words.word(1)
        if word in bare or (word == "(" and _opens_query(words)):
            return True
        if word == "AS" and following in {"WITH", "TABLE", "VALUES", "EXECUTE"}:
            return True
        words.step()
    return False


def _opens_query(words: Words) -> bool:
    """Whether the brackets that open here begin with a query."""
    depth = 0
    while words.word(depth) == "(":
        depth += 1
    return words.word(depth) in {"SELECT", "WITH"}


def _read_drop(words: Words) -> Statement:
    thing, qualifiers = _read_object(words)
    if thing == "index":
        words.accept("CONCURRENTLY")
        statement = Statement(kind="drop_index", if_exists=accept_if_exists(words))
        is_key = accept_primary_index(words)
        words.step_to("ON")
        statement.tables = [read_table(words)] if words.accept("ON") else []
        if is_key:
            statement.kind, statement.key_columns = "alter_table", []
        return statement
    statement = Statement(kind=f"drop_{thing}", if_exists=accept_if_exists(words))
    statement.tables = _read_names(words, thing)
    if thing == "table" and _is_temporary(statement.tables, qualifiers):
        statement.kind = "drop_temporary_table"
    return statement


def _read_truncate(words: Words) -> Statement:
    if words.word() == "CLUSTER":
        return Statement(kind="other")
    words.accept("TABLE")
    statement = Statement(kind="truncate_table", if_exists=accept_if_exists(words))
    statement.tables = _read_names(words, "table")
    if words.word() in {"PARTITION", "SUBPARTITION"} or words.accept("WITH", "(", "PARTITIONS"):
        statement.kind = "truncate_partition"
    return statement


def _read_rename(words: Words) -> Statement:
    if words.word() in _OBJECTS - {"TABLE", "TABLES"} and words.word(1) not in {"TO", "."}:
        return Statement(kind="other")  # RENAME USER a TO b
    words.accept_any("TABLE", "TABLES")
    statement = Statement(kind="rename_table", if_exists=accept_if_exists(words))
    while True:
        table = read_table(words)
        if words.accept("WAIT"):
            words.step()
        words.accept("NOWAIT")
        words.expect("TO")
        statement.tables.append(table.rename(read_table(words)))
        if not words.accept(","):
            return statement


def _read_alter(words: Words) -> Statement:
    thing, _ = _read_object(words)
    if thing != "table":
        return Statement(kind=f"alter_{thing}")
    statement = Statement(if_exists=accept_if_exists(words))
    statement.tables = [read_table(words)]
    return read_actions(words, statement)


def _read_execute(words: Words) -> Statement:
    """SQL Server's ``sp_rename 'schema.table[.column]', 'new' [, 'COLUMN']``; other else."""
    if words.word() in {"@", "("} or (words.full_name()[-1] or "").lower() != "sp_rename":
        return Statement(kind="other")
    given = dict.fromkeys(("objname", "newname", "objtype"), "")
    for parameter in given:
        if words.accept("@"):
            parameter = words.name().lower()
            words.expect("=")
        given[parameter] = words.name()
        if not words.accept(","):
            break
    old = words_of(given["objname"], "tsql")
    if given["objtype"].upper() == "COLUMN":
        *_, column = old.full_name()
        table = read_table(old.part(0, old.at - 2)) if old.at > 2 else Table()
        change = ColumnChange("rename", column or "", new_name=given["newname"])
        return Statement("alter_table", [table], [change])
    if given["objtype"].upper() not in {"", "OBJECT"}:
        return Statement(kind="other")
    table = read_table(old)
    new = Table(table.database_name, table.schema_name, given["newname"])
    return Statement("rename_table", [table.rename(new)])


def _read_use(words: Words) -> Statement:
    return Statement(kind="use_database", tables=[Table(database_name=words.name())])


def _read_comment(words: Words) -> Statement:
    is_table = words.accept("ON", "TABLE")
    return Statement(kind="comment", tables=[read_table(words)] if is_table else [])


_READERS: dict[str, Callable[[Words], Statement]] = {
    "CREATE": _read_create,
    "ALTER": _read_alter,
    "DROP": _read_drop,
    "TRUNCATE": _read_truncate,
    "RENAME": _read_rename,
    "EXEC": _read_execute,
    "EXECUTE": _read_execute,
    "USE": _read_use,
    "COMMENT": _read_comment,
    "GRANT": lambda _: Statement(kind="grant"),
    "REVOKE": lambda _: Statement(kind="revoke"),
}
# Some logs leave ALTER TABLE out: the table is the message's own.
_FRAGMENTS = {
    *(("ALTER", "COLUMN"), ("DROP", "COLUMN"), ("RENAME", "COLUMN")),
    *(("DROP", "PRIMARY"), ("DROP", "("), ("RENAME", "TO"), ("RENAME", "AS")),
}
_OTHER_VERBS = {
    *("INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "CALL", "DO", "VALUES"),
    *("BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "XA", "END", "DECLARE"),
    *("SET", "RESET", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LOCK", "UNLOCK", "FLUSH", "KILL"),
    *("ANALYZE", "OPTIMIZE", "CHECK", "CHECKSUM", "REPAIR", "VACUUM", "REINDEX", "CLUSTER"),
    *("REFRESH", "LOAD", "COPY", "INSTALL", "UNINSTALL", "PURGE", "FLASHBACK", "AUDIT", "NOAUDIT"),
    *("SECURITY", "DISCARD", "NOTIFY", "LISTEN", "PREPARE", "DEALLOCATE", "GO", "PRINT", "REORG"),
    *("CHANGE", "CACHE", "BINLOG", "HANDLER", "SIGNAL", "RUNSTATS", "DENY", "REINDEX", "STOP"),
}
