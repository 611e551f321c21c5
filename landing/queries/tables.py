"""The tables of the log, as a person names them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landing.errors import UserError
from landing.queries.built import require_built

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MOST_SHOWN = 50
STATES = """
select
    states.*,
    coalesce(states.database_name, names.newest_database) as newest_database
from resolve.row_states as states
left join resolve.names as names on states.table_id = names.name_id
where states.mark is null
"""
# Some messages of a table name a tenant before the database (OMS Default); its id has none.
TABLES = f"""
with identified as (
    select
        *,
        get_json_object(table_id, '$[1]') as first_database,
        if(
            endswith(newest_database, concat('.', first_database)), first_database, newest_database
        ) as database_identity
    from ({STATES})
)
select
    source,
    array_sort(array_union(
        collect_set(database_identity), collect_set(newest_database)
    )) as database_names,
    schema_name,
    table_name,
    collect_set(table_id) as table_ids
from identified
group by source, database_identity, schema_name, table_name
"""


@dataclass(frozen=True)
class Table:
    """A table of the log, by the name that it has now, and all ids of it.

    ``database_names``: with the tenant, as messages spell it, and without; empty where none is
    named.
    """

    source: str
    database_names: tuple[str, ...]
    schema_name: str | None
    table_name: str
    table_ids: tuple[str, ...]

    @property
    def name(self) -> str:
        """``database.schema.table``, without the parts that the table does not have."""
        # Without the tenant, the database is shortest.
        database_name = min(self.database_names, key=len, default=None)
        return _dotted(database_name, self.schema_name, self.table_name)

    def is_called(self, name: str) -> bool:
        """Whether a person may mean this table; the schema may be left out."""
        return name in {
            _dotted(database_name, schema_name, self.table_name)
            for database_name in self.database_names or (None,)
            for schema_name in (self.schema_name, None)
        }

    def rows(self, frame: "DataFrame") -> "DataFrame":
        """The table's rows of gold.current_rows, or of another table that names tables as it."""
        return frame.where(self._condition())

    def _condition(self) -> "Column":
        from pyspark.sql.functions import col, lit

        database = col("database_name")
        return (
            (col("source") == lit(self.source))
            & (database.isin(*self.database_names) if self.database_names else database.isNull())
            & col("schema_name").eqNullSafe(lit(self.schema_name))
            & (col("table_name") == lit(self.table_name))
        )


def named_table(spark: "SparkSession", source: str, name: str) -> Table:
    """The table of a source that has this name: DATABASE.TABLE, or DATABASE.SCHEMA.TABLE.

    Raises :class:`UserError`, which says what there is, for none, for several, and where nothing
    is built yet.
    """
    require_built(spark, "resolve.row_states")
    tables = [
        Table(
            row.source,
            tuple(row.database_names),
            row.schema_name,
            row.table_name,
            tuple(row.table_ids),
        )
        for row in spark.sql(TABLES).collect()
    ]
    of_source = [table for table in tables if table.source == source]
    if not of_source:
        sources = _listed({table.source for table in tables})
        raise UserError(f"the log has no tables of the source {source!r}; it has {sources}")
    found = [table for table in of_source if table.is_called(name)]
    if len(found) == 1:
        return found[0]
    listed = _listed({table.name for table in found or of_source})
    if found:
        raise UserError(f"several tables of {source!r} are called {name!r}: {listed}")
    raise UserError(f"the source {source!r} has no table {name!r}; it has {listed}")


def _dotted(*parts: str | None) -> str:
    return ".".join(part for part in parts if part is not None)


def _listed(names: set[str]) -> str:
    shown = sorted(names)
    more = f" and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    return (", ".join(map(repr, shown[:MOST_SHOWN])) or "none yet") + more
