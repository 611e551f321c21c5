"""The project as dbt sees it: its unit tests, its names, its pages."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from conftest import ROOT
from messages import oms_canal

from landing.cli import main
from landing.envelopes import ENVELOPES


@pytest.fixture(scope="module")
def built(build: Callable[..., None], land: Callable[[dict[str, list[str]]], None]) -> None:
    """The models are there: unit tests and the pages take columns from their tables."""
    land({"fresh": oms_canal(1, None, {"id": 1})})
    build()


# A table of the project in a text, which is no module.
READ_TABLE = re.compile(r"\b(?:bronze|silver|gold|resolve)\.(\w+)(?![\w.]* import)")
IMPORTED = re.compile(r"^from landing\.queries(?:\.| import )(\w+)", re.MULTILINE)
# The tables that users read: their columns by type. A table may have more.
IMAGES = "map<string,string>"
NAMES = "struct<database_name:string,schema_name:string,table_name:string>"
CHANGE = "struct<action:string,column_name:string,new_name:string,data_type:string,after:string>"
PUBLIC = {
    "silver.change_log": {
        "string": "change_id envelope topic source database_name schema_name table_name operation"
        " value_encoding transaction_id log_position",
        IMAGES: "before after key previous_key column_types",
        "timestamp": "event_at built_at received_at",
        "array<struct<partition:int,offset:bigint>>": "messages",
        "int": "partition row_index",
        "bigint": "offset batch",
    },
    "silver.ddl_log": {
        "string": "envelope topic source log_position database_name statement kind parse_error",
        "int": "partition",
        "bigint": "offset batch",
        "timestamp": "event_at",
        f"array<{NAMES}>": "tables",
        f"array<{CHANGE}>": "column_changes",
    },
    "silver.control_log": {
        "string": "topic kind",
        "int": "partition row_index",
        "bigint": "offset batch",
        "timestamp": "received_at event_at",
    },
    "silver.quarantine": {
        "string": "topic envelope reason message",
        "int": "partition",
        "bigint": "offset batch",
    },
    "silver.repeats": {
        "string": "topic change_id",
        "int": "partition row_index",
        "bigint": "offset batch",
    },
    "silver.table_schemas": {
        "string": "source database_name schema_name table_name column_name data_type"
        " valid_from_position",
        "int": "ordinal",
        "boolean": "is_key",
    },
    "gold.current_rows": {
        "string": "source database_name schema_name table_name state_id change_id log_position"
        " value_encoding",
        IMAGES: "key row",
        "int": "copies",
        "timestamp": "event_at",
    },
    "gold.row_history": {
        "string": "source database_name schema_name table_name change_id log_position end_position"
        " value_encoding",
        IMAGES: "key row",
        "timestamp": "event_at valid_from valid_to",
        "boolean": "is_current is_deleted",
    },
}


@pytest.mark.usefixtures("built")
def test_silver_has_the_tables_that_users_read_and_no_others(spark: Any) -> None:
    logs = {name.removeprefix("silver.") for name in PUBLIC if name.startswith("silver.")}
    found = spark.sql("show tables in silver").where("not isTemporary").collect()
    assert {row.tableName for row in found} == {*ENVELOPES, "unrecognized", *logs}


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("table", PUBLIC)
def test_the_columns_that_users_read_are_there_with_their_types(spark: Any, table: str) -> None:
    expected = {name: kind for kind, names in PUBLIC[table].items() for name in names.split()}
    found = dict(spark.table(table).dtypes)
    assert {name: found.get(name) for name in expected} == expected


def test_values_that_do_not_fit_are_told_in_columns_of_text() -> None:
    """As dbt makes the table: it enforces the contract."""
    written = yaml.safe_load((ROOT / "models" / "gold" / "_typed__models.yml").read_text())
    (model,) = (model for model in written["models"] if model["name"] == "cast_failures")
    assert model["config"]["contract"]["enforced"]
    names = ("model_name", "column_name", "value", "change_id")
    told = {column["name"]: column["data_type"] for column in model["columns"]}
    assert told == dict.fromkeys(names, "string")


@pytest.fixture
def columns_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets dbt ask a table for its columns once, not again for each unit test that it is input of.

    No unit test changes a table. What a unit test makes has the same name in no other one, but dbt
    does not promise that.
    """
    from dbt.adapters.spark.impl import SparkAdapter

    ask, known = SparkAdapter.get_columns_in_relation, dict[str, list[Any]]()

    def columns(adapter: Any, relation: Any) -> list[Any]:
        name = str(relation)
        if name not in known or name.endswith("__dbt_tmp"):
            known[name] = ask(adapter, relation)
        return [*known[name]]

    monkeypatch.setattr(SparkAdapter, "get_columns_in_relation", columns)


@pytest.mark.usefixtures("built", "columns_known")
def test_every_envelope_has_unit_tests_and_all_pass(dbt: Callable[..., list[Any]]) -> None:
    results = dbt("test", "--select", "test_type:unit")
    tested = {getattr(result.node, "tested_node_unique_id", None) for result in results}
    assert tested >= {f"model.onelog.{envelope}" for envelope in ENVELOPES}


def test_aliases_are_unique(project: Path) -> None:
    """Incremental models share one session: two with one alias would share a temporary view."""
    from dbt.cli.main import dbtRunner

    manifest = dbtRunner().invoke(["parse", "--quiet"]).result
    aliases = Counter(
        node.alias for node in manifest.nodes.values() if node.resource_type in ("model", "seed")
    )
    assert [alias for alias, count in aliases.items() if count > 1] == []


@pytest.mark.usefixtures("built")
def test_the_pages_describe_every_table_column_macro_and_argument(
    project: Path, dbt: Callable[..., list[Any]]
) -> None:
    from dbt_common.clients.jinja import get_environment
    from jinja2.nodes import Macro

    dbt("docs", "generate")
    manifest, catalog = (
        json.loads((project / "target" / f"{name}.json").read_text())
        for name in ("manifest", "catalog")
    )
    described = described_names(manifest)
    tables = {**manifest["nodes"], **manifest["sources"]}
    wanted = {id for id in tables if id.split(".")[0] in ("model", "seed", "source")}
    for id, table in {**catalog["nodes"], **catalog["sources"]}.items():
        # A test that ran before may have left a view of its failures.
        if not id.startswith("test."):
            wanted |= {f"{id}.{column}" for column in table["columns"]}
    for id, macro in manifest["macros"].items():
        if macro["package_name"] == "onelog":
            parsed = next(get_environment(None).parse(macro["macro_sql"]).find_all(Macro))
            # dbt gives every materialization an argument of its own.
            names = {argument.name for argument in parsed.args} - {"supported_languages"}
            wanted |= {id, *(f"{id}.{name}" for name in names)}
    assert {"model.onelog.change_log.change_id", "source.onelog.bronze.batches.batch"} <= wanted
    assert sorted(wanted - described) == []


def code_of(name: str) -> list[str]:
    """The text of a module of landing/queries, and of those that it imports from there."""
    # What an earlier version had is read to refuse it.
    codes, names = {"built": ""}, [name]
    while names:
        path = ROOT / "landing" / "queries" / f"{names.pop()}.py"
        if path.stem not in codes and path.exists():
            codes[path.stem] = path.read_text()
            names += IMPORTED.findall(codes[path.stem])
    return list(codes.values())


@pytest.mark.parametrize("command", ["status", "report", "explain", "trace", "reconcile"])
def test_the_lineage_shows_what_a_command_reads(command: str) -> None:
    written = yaml.safe_load((ROOT / "models" / "_exposures.yml").read_text())
    exposure = next(item for item in written["exposures"] if item["name"] == command)
    shown = {re.findall(r"'(\w+)'", parent)[-1] for parent in exposure["depends_on"]}
    read = {table for code in code_of(command) for table in READ_TABLE.findall(code)}
    # A project may do without the list of its typed models: dbt would stop where it is named.
    assert shown >= read - {"cast_failures"}


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("by", ["arrival", "event_time"])
def test_the_freshness_of_every_envelope_is_told(dbt: Callable[..., list[Any]], by: str) -> None:
    """By arrival what has just landed is fresh; its event is years old."""
    results = dbt("source", "freshness", "--vars", f"freshness_by: {by}")
    told = {
        result.node.name: str(result.status)
        for result in results
        if result.node.resource_type == "source"
    }
    assert set(told) == {*ENVELOPES, "unrecognized"}
    assert told["oms_canal"] == {"arrival": "pass", "event_time": "warn"}[by]


def described_names(manifest: dict[str, Any]) -> set[str]:
    """The ids of all that has a description; of a column or an argument, with its name behind."""
    found = set()
    for kind in ("nodes", "sources", "macros"):
        for id, item in manifest[kind].items():
            parts = item["columns"].values() if kind != "macros" else item["arguments"]
            named = {f"{id}.{part['name']}": part["description"] for part in parts}
            found |= {name for name, text in {id: item["description"], **named}.items() if text}
    return found


def test_seeds_are_read_as_their_files_stand(
    project: Path, spark: Any, dbt: Callable[..., list[Any]]
) -> None:
    """Of a file above 1 MiB dbt does not tell whether it has changed."""
    seed = project / "seeds" / "table_columns.csv"
    shipped = seed.read_text()
    for name in ("first", "other"):
        rows = [f"seeded,shop,{name},{place},c{place},bigint,false\n" for place in range(1, 40_000)]
        for count, runs in ((1, ("run", "seed")), (len(rows), ("run",))):
            seed.write_text(shipped + "".join(rows[:count]))
            for command in runs:
                dbt(command, "--select", {"run": "datahub_tuple", "seed": "table_columns"}[command])
                query = "select distinct table_name from settings.table_columns"
                found = spark.sql(f"{query} where source = 'seeded'").collect()
                assert [row.table_name for row in found] == [name]
    seed.write_text(shipped)
    dbt("seed", "--select", "table_columns")
    assert spark.table("settings.table_columns").where("source = 'seeded'").isEmpty()


def test_a_home_of_an_earlier_version_is_built_anew_when_it_is_told_to(
    project: Path, spark: Any, dbt: Callable[..., list[Any]]
) -> None:
    """Bronze is the same; what had expired from it cannot be carried over."""
    dbt("run", "--select", "datahub_tuple")
    spark.sql("create table silver.resolved_events (change_id string) using delta")
    columns = "rewrite bigint, rewritten_at timestamp, cause string, batch bigint"
    expired = spark.createDataFrame([(999_999, None, "expire", 999_999)], columns)
    expired.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(
        "bronze.rewrites"
    )
    try:
        with pytest.raises(AssertionError, match="run dbt run --full-refresh once"):
            dbt("run", "--select", "datahub_tuple")
        for command in (("status",), ("report",), ("trace", "a", "t", "1")):
            said = CliRunner().invoke(main, command)
            assert (said.exit_code, said.stdout) == (2, "")
            assert "an earlier version of onelog built this home: run dbt" in said.stderr
        spark.sql("update bronze.rewrites set completed_at = now() where rewrite = 999999")
        with pytest.raises(AssertionError, match="have expired"):
            dbt("run", "--full-refresh", "--select", "datahub_tuple")
        spark.sql("delete from bronze.rewrites where rewrite = 999999")
        dbt("run", "--full-refresh", "--select", "datahub_tuple")
        assert not spark.catalog.tableExists("silver.resolved_events")
    finally:
        spark.sql("delete from bronze.rewrites where rewrite = 999999")
        spark.sql("drop table if exists silver.resolved_events")
        # Where the view is now, the earlier version had a table.
        dbt("run", "--select", "+repeats")
