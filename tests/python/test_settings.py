"""Mistakes in the seeds that a run would read without a word. The tests need no Spark."""

from pathlib import Path

import pytest
from conftest import ROOT
from dbt.cli.main import dbtRunner

from landing.settings import check_settings
from landing.topics import SettingsError

TOPICS = "topic,envelope,source,database_name,table_name,key_columns,time_zone"
COLUMNS = "source,database_name,table_name,ordinal,column_name,data_type,is_key"


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    """The folder of a project's seeds."""
    (tmp_path / "seeds").mkdir()
    return tmp_path / "seeds"


def refused(seeds: Path) -> str:
    """What is said of a project's seeds."""
    with pytest.raises(SettingsError) as told:
        check_settings(seeds.parent)
    return str(told.value)


def write_columns(seeds: Path, *rows: str) -> None:
    (seeds / "table_columns.csv").write_text("\n".join([COLUMNS, *rows]) + "\n")


@pytest.mark.parametrize(
    "zone",
    [
        *("", "UTC", "Asia/Shanghai", "US/Pacific", "Etc/GMT+8", "GMT0", "PRC", "CST", "Z"),
        *("SystemV/PST8", "+8", "-07:00", "+8:00", "+0800", "+08:00:00", "UTC+8", "GMT-03:30"),
        *("+18:00", "UT+8", "  Asia/Shanghai "),
    ],
)
def test_a_time_zone_is_a_region_or_an_offset(seeds: Path, zone: str) -> None:
    (seeds / "topics.csv").write_text(f"{TOPICS}\norders,,,,,,{zone}\n")
    check_settings(seeds.parent)


@pytest.mark.parametrize(
    "zone",
    ["Nowhere/Town", "asia/shanghai", "Shanghai", "utc", "UTC8", "+19:00", "08:00", "8", "UTC Z"],
)
def test_a_time_zone_that_is_none_is_told(seeds: Path, zone: str) -> None:
    (seeds / "topics.csv").write_text(f"{TOPICS}\npeople,,,,,,\norders,,,,,,{zone}\n")
    assert refused(seeds) == (
        f"seeds/topics.csv: topic orders has the time_zone '{zone}', which is none: "
        "write a region as Asia/Shanghai, or an offset as +08:00"
    )


def test_without_a_list_of_regions_every_region_is_one(
    seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landing.settings.available_timezones", set)
    (seeds / "topics.csv").write_text(f"{TOPICS}\norders,,,,,,Nowhere/Town\n")
    check_settings(seeds.parent)


@pytest.mark.parametrize("key", ["id |region", "id| region", "id |\u00a0region"])
def test_blanks_around_the_names_of_key_columns_are_told(seeds: Path, key: str) -> None:
    (seeds / "topics.csv").write_text(f"{TOPICS}\n\x1borders,,,,,{key},\n")
    said = f"seeds/topics.csv: topic \\x1borders has the key_columns {key!r}: leave out the blanks "
    assert refused(seeds).startswith(said)


@pytest.mark.parametrize("key", ["", " id ", "id|region", "the id|region"])
def test_blanks_in_the_names_of_key_columns_and_around_all_are_none(seeds: Path, key: str) -> None:
    (seeds / "topics.csv").write_text(f"{TOPICS}\norders,,,,,{key},\n")
    check_settings(seeds.parent)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["1,id,int,true", ",v,int,"], "has no ordinal for its column 'v'"),
        ([",v,int,", ",id,int,true"], "has no ordinal for its column 'v'"),
        (["0,id,int,true"], "has the ordinal '0' for its column 'id'"),
        (["-1,id,int,true"], "has the ordinal '-1' for its column 'id'"),
        (["1.5,id,int,true"], "has the ordinal '1.5' for its column 'id'"),
        (["one,id,int,true"], "has the ordinal 'one' for its column 'id'"),
        (["\uff11,id,int,true"], "has the ordinal '\uff11' for its column 'id'"),
        (["12345678901,id,int,true"], "has the ordinal '12345678901' for its column 'id'"),
        (["1,id,int,true", "2,v,int,", "01,w,int,"], "has the ordinal 1 more than once"),
        (["1,id,int,true", "2,,int,"], "has an empty column_name, with the ordinal '2'"),
        (["1,id,int,true", "2,v,int,", "3,id,int,"], "has the column_name 'id' more than once"),
        (["1,id,int,JA"], "has the is_key 'JA' for its column 'id'"),
    ],
)
def test_a_mistake_in_the_columns_of_a_table_is_told(
    seeds: Path, rows: list[str], said: str
) -> None:
    other = "erp,shop,people,1,id,int,true"
    write_columns(seeds, other, *(f"erp,shop,orders,{row}" for row in rows))
    told = refused(seeds)
    assert told.startswith(f"seeds/table_columns.csv: table erp shop.orders {said}")
    assert "\n" not in told


@pytest.mark.parametrize(
    "rows",
    [
        ["erp,shop,orders,1,id,int,true", "erp,shop,orders, 2 ,v,,FALSE", "erp,shop,orders,3,w,,"],
        # In the order of the place, not of the lines; a gap and another spelling harm nothing.
        ["erp,shop,orders,10,v,,No", "erp,shop,orders,+2,w,,f", "erp,shop,orders,1.0,id,int,Y"],
        ["erp,shop,orders,1,id,int,true", "erp,shop,orders,1,id,int,true"],
        # A key has no order.
        ["erp,shop,orders,,id,,true", "erp,shop,orders,,region,,1"],
        ["erp,shop,orders,1,id,,t", "erp,shop,people,1,id,,t", "crm,shop,orders,1,id,,t"],
        ["erp,,orders,1,id,,t", ",,,,,,", "", "erp,shop,orders,1,id,,t", "erp,shop,orders,2,ID,,"],
    ],
)
def test_sound_columns_of_tables_are_taken(seeds: Path, rows: list[str]) -> None:
    write_columns(seeds, *rows)
    check_settings(seeds.parent)


def test_a_file_of_columns_that_cannot_be_read_is_told(seeds: Path) -> None:
    path = seeds / "table_columns.csv"
    path.write_bytes(f"{COLUMNS}\nerp,shop,größe,1,id,int,\n".encode("latin-1"))
    assert refused(seeds).startswith("seeds/table_columns.csv is not UTF-8")
    path.write_text(COLUMNS.replace(",", ";") + "\nerp;shop;orders;1;id;int;\n")
    assert refused(seeds).startswith("seeds/table_columns.csv has no column source")


def test_dbt_tells_a_mistake_before_it_begins(project: Path) -> None:
    path = project / "seeds" / "table_columns.csv"
    before = path.read_text()
    path.write_text(f"{before}erp,shop,orders,0,id,int,true\n")
    said = dbtRunner().invoke(["run", "--quiet"]).exception
    path.write_text(before)
    told = "seeds/table_columns.csv: table erp shop.orders has the ordinal '0' for its column 'id'"
    assert told in str(said)


@pytest.mark.parametrize("folder", [ROOT, ROOT / "landing" / "template"])
def test_the_seeds_that_come_with_onelog_are_sound(folder: Path) -> None:
    assert (folder / "seeds" / "topics.csv").exists()
    check_settings(folder)


def test_a_project_may_have_no_seeds(tmp_path: Path) -> None:
    check_settings(tmp_path)
