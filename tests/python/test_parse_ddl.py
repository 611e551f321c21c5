"""DDL texts as the logs carry them, and what they say about tables, columns and keys."""

import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_udfs.ddl import DDL_TYPE, MAX_LENGTH, parse_ddl, read_ddl

SOURCES = ("mysql", "oracle", "postgresql", "sqlserver", "db2")


def read_one(text: str, source: str | None = "mysql") -> dict:
    read = read_ddl(text, source)
    assert read["parse_error"] is None
    (statement,) = read["statements"]
    return statement


def said(part: dict) -> dict:
    """Only what the text says."""
    return {name: value for name, value in part.items() if value is not None and value != ()}


def columns(text: str, source: str = "mysql") -> list[dict]:
    changes = [said(change) for change in read_one(text, source)["column_changes"]]
    return [
        {name: v for name, v in change.items() if name != "is_first" or v} for change in changes
    ]


def tables(text: str, source: str = "mysql") -> list[str]:
    """Dotted names; ``old -> new`` for a renamed table."""
    found = []
    for table in read_one(text, source)["tables"]:
        parts = list(table.values())
        old, new = (".".join(filter(None, part)) for part in (parts[:3], parts[3:]))
        found.append(f"{old} -> {new}" if new else old)
    return found


@pytest.mark.parametrize(
    ("kind", "named", "text"),
    [
        ("create_table", ["t"], "create table t (id int)"),
        ("create_table", ["t"], "create table if not exists t (id int) engine=innodb"),
        ("create_table_like", ["t", "m"], "create table t like m"),
        ("create_table_like", ["t", "m"], "create table t (like m)"),
        ("create_table_as", ["t"], "create table t as select * from m"),
        ("create_table_as", ["t"], "create table t (id int) ignore select * from m"),
        ("create_table_as", ["t"], "create table t as (select 1)"),
        ("create_table_as", ["t"], "create table t (id int) as ((select 1 a) union (select 2))"),
        ("create_table_as", ["t"], "create table t ((select 1))"),
        ("create_table_as", ["t"], "create table t table u"),
        ("create_table_as", ["t"], "create table t (id int) comment 'x' table u order by id"),
        ("create_table", ["t"], "create table t (i int) partition by hash ((year(i)))"),
        ("create_or_replace_table", ["t"], "create or replace table t (id int)"),
        ("create_temporary_table", ["t"], "create temporary table t (id int)"),
        ("create_temporary_table", ["t"], "create temporary table t as select 1"),
        ("drop_table", ["t"], "drop table t"),
        ("drop_table", ["a", "d.b"], "DROP TABLE IF EXISTS `a`, d.b CASCADE"),
        ("drop_temporary_table", ["t"], "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `t`"),
        ("truncate_table", ["t"], "truncate t"),
        ("truncate_table", ["a", "b"], "truncate table a, b"),
        ("truncate_partition", ["t"], "alter table t truncate partition p0, p1"),
        ("truncate_partition", ["t"], "truncate table t partition p0"),
        ("drop_partition", ["t"], "alter table t drop partition p0"),
        ("add_partition", ["t"], "alter table t add partition (partition p1 values in (1))"),
        ("exchange_partition", ["t", "x"], "alter table t exchange partition p with table x"),
        ("rename_table", ["a -> b", "c -> d"], "rename table a to b, c to d"),
        ("rename_table", ["t -> x"], "alter table t rename to x"),
        ("rename_table", ["t -> x"], "alter table t rename as x"),
        ("rename_table", ["t -> x"], "alter table t rename x"),
        ("alter_table", ["t"], "alter table t engine=innodb, convert to character set utf8"),
        ("alter_table", ["t"], "/*!40000 ALTER TABLE `t` DISABLE KEYS */"),
        ("alter_table", ["t"], "alter table t add unique u (a), drop key i, rename key a to b"),
        ("alter_table", ["t"], "alter table t add constraint f foreign key (a) references x (b)"),
        ("create_index", ["t"], "create unique index i on t (a)"),
        ("drop_index", ["t"], "drop index i on t"),
        ("create_database", ["d"], "create schema if not exists d character set utf8"),
        ("drop_database", ["d"], "drop database d"),
        ("alter_database", [], "alter database d character set utf8"),
        ("create_view", ["v"], "create definer=`r`@`%` sql security definer view v as select 1"),
        ("drop_view", ["v", "w"], "drop view v, w"),
        ("create_trigger", [], "create trigger g before insert on t for each row set new.a = 1"),
        ("drop_procedure", [], "drop procedure p"),
        ("use_database", ["d"], "use `d`"),
        ("grant", [], "grant all on *.* to u"),
        ("other", [], "insert into t values (1)"),
        ("other", [], "BEGIN"),
        ("other", [], "optimize table t"),
    ],
)  # fmt: skip
def test_a_statement_tells_its_kind_and_tables(kind: str, named: list[str], text: str) -> None:
    assert (read_one(text)["kind"], tables(text)) == (kind, named)


@pytest.mark.parametrize(
    ("source", "kind", "named", "text"),
    [
        ("OB_IN_ORACLE_MODE", "rename_table", ["A -> B"], "rename a to b"),
        ("Oracle", "create_temporary_table", ["T"], "create global temporary table t (a int)"),
        ("Oracle", "drop_table", ["S.T"], 'drop table "S"."T" cascade constraints purge'),
        ("Oracle", "truncate_table", ["T"], "truncate table t drop storage"),
        ("Oracle", "exchange_partition", ["T", "X"],
         "alter table t exchange partition p with table x including indexes"),
        ("Oracle", "alter_table", ["T"], "alter table t modify partition p add values (1)"),
        ("Oracle", "alter_table", ["T"], "alter table t add supplemental log data (all) columns"),
        ("Oracle", "comment", ["T"], "comment on table t is 'drop table x; '"),
        ("postgres", "create_table_like", ["p", "t"],
         "create table p partition of t for values in (1)"),
        ("Oracle", "drop_database_link", [], "drop public database link hr"),
        ("Oracle", "create_database_link", [], "create database link hr using 'x'"),
        ("MySQL", "drop_database", ["link"], "drop database link"),
        ("Oracle", "create_view_log", [], "create materialized view log on t"),
        ("Oracle", "drop_view_log", [], "drop materialized view log on t"),
        ("MySQL", "create_view", ["v"], "create definer=user@localhost view v as select 1"),
        ("MySQL", "create_view", ["v"], "create definer = role sql security invoker view v as x"),
        ("postgres", "create_table_like", ["t", "u", "v"],
         "create table t (like u, a int, like v)"),
        ("postgres", "create_table_like", ["t", "p", "s.q"],
         "create table t () inherits (p, s.q)"),
        ("postgres", "truncate_table", ["a", "b"], "truncate only a, b restart identity cascade"),
        ("postgres", "rename_table", ["s.t -> s.x"], "alter table if exists s.t rename to x"),
        ("postgres", "rename_table", ["s.t -> x.t"], "alter table s.t set schema x"),
        ("postgres", "detach_partition", ["t"], "alter table t detach partition p"),
        ("postgres", "drop_schema", ["s"], "drop schema if exists s cascade"),
        ("postgres", "drop_table", ["a$b"], "drop table a$b -- it's gone"),
        ("SQLServer", "rename_table", ["dbo.t -> dbo.x"], "exec sp_rename 'dbo.t', 'x'"),
        ("SQLServer", "rename_table", ["t -> x"],
         "EXEC sys.sp_rename @objname = N't', @newname = N'x'"),
        ("SQLServer", "other", [], "exec sp_rename 't.i', 'j', 'INDEX'"),
        ("SQLServer", "create_temporary_table", ["#t"], "create table #t (a int)"),
        ("SQLServer", "truncate_partition", ["t"], "truncate table t with (partitions (2, 4))"),
        ("SQLServer", "exchange_partition", ["t", "x"], "alter table t switch partition 1 to x"),
        ("DB2_LUW", "rename_table", ["S.A -> B"], "rename table s.a to b"),
    ],
)  # fmt: skip
def test_each_source_has_its_own_statements(
    source: str, kind: str, named: list[str], text: str
) -> None:
    assert (read_one(text, source)["kind"], tables(text, source)) == (kind, named)


@pytest.mark.parametrize(
    ("source", "text", "name"),
    [
        ("MySQL", "drop table D.T", ("D", None, "T")),
        ("MySQL", "drop table `d`.`t``1`", ("d", None, "t`1")),
        ("MySQL", 'drop table "d"."t"', ("d", None, "t")),
        ("TDSQL", "drop table d.1t_gho", ("d", None, "1t_gho")),
        ("mariadb", "drop table 用户", (None, None, "用户")),
        (None, "drop table d.t", ("d", None, "t")),
        ("OB_ORACLE", "drop table s.T", (None, "S", "T")),
        ("oracle", 'drop table "s"."T"', (None, "s", "T")),
        ("POSTGRESQL", 'drop table D.Sü."T"""', ("d", "sü", 'T"')),
        ("postgres", "drop table ÄB", (None, None, "Äb")),
        ("mssql", "drop table [d].S.[my t]", ("d", "S", "my t")),
        ("sqlserver", "drop table d..t", ("d", None, "t")),
        ("db2", 'drop table s."t"', (None, "S", "t")),
    ],
)
def test_names_are_spelled_as_the_source_keeps_them(
    source: str | None, text: str, name: tuple[str | None, ...]
) -> None:
    (table,) = read_one(text, source)["tables"]
    assert (table["database_name"], table["schema_name"], table["table_name"]) == name


def test_a_swap_names_its_tables_in_order() -> None:
    assert tables("rename table t to _t_del, _t_gho to t") == ["t -> _t_del", "_t_gho -> t"]
    swap = "RENAME TABLE `d`.`t` TO `d`.`_t_old`, `d`.`_t_new` TO `d`.`t`"
    assert tables(swap) == ["d.t -> d._t_old", "d._t_new -> d.t"]


def test_alter_table_keeps_the_place_of_the_old_name_except_in_mysql() -> None:
    assert tables("alter table d.t rename x") == tables("rename table d.t to x") == ["d.t -> x"]
    assert tables("alter table d.t rename e.x") == ["d.t -> e.x"]
    assert tables("alter table s.t rename to x", "postgres") == ["s.t -> s.x"]


def test_a_rename_may_stand_among_other_actions() -> None:
    text = "alter table t add column a int, rename to x"
    assert (read_one(text)["kind"], tables(text)) == ("alter_table", ["t -> x"])
    assert columns(text) == [{"action": "add", "column_name": "a", "data_type": "int"}]


def test_if_exists_is_told() -> None:
    assert read_one("drop table if exists t")["if_exists"]
    assert read_one("CREATE TABLE /*!32312 IF NOT EXISTS*/ t (a int)")["if_exists"]
    assert not read_one("drop table t")["if_exists"]


MYSQL_TABLE = """
-- dumped
CREATE TABLE `d`.`t` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'a;b',
  kind enum('a','b,c)') CHARACTER SET utf8 COLLATE utf8_bin DEFAULT "a", # the kind
  price decimal(10,2) unsigned zerofill default -1.50,
  at timestamp(3) NOT NULL DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3),
  total int GENERATED ALWAYS AS (id + 1) STORED,
  flag bit(1) DEFAULT b'0',
  note varchar(9) DEFAULT NULL /* none */,
  place geometry SRID 4326 NOT NULL,
  PRIMARY KEY (`id`, price DESC) USING BTREE,
  UNIQUE KEY u (kind), KEY k (note(10)), FULLTEXT KEY f (note), SPATIAL INDEX (place),
  CONSTRAINT c CHECK (id > 0), FOREIGN KEY (id) REFERENCES x (id) ON DELETE SET NULL
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COMMENT='t (x'
/*!50100 PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (5)) */;
"""


def test_a_created_table_tells_columns_types_defaults_and_key() -> None:
    assert read_one(MYSQL_TABLE)["kind"] == "create_table"
    assert read_one(MYSQL_TABLE)["key_columns"] == ["id", "price"]
    found = [
        (column["column_name"], column["data_type"], column["is_nullable"], column["default_value"])
        for column in read_one(MYSQL_TABLE)["column_changes"]
    ]
    assert found == [
        ("id", "bigint(20) unsigned", False, None),
        ("kind", "enum('a','b,c)')", None, "a"),
        ("price", "decimal(10,2) unsigned zerofill", False, "-1.50"),
        ("at", "timestamp(3)", False, None),
        ("total", "int", None, None),
        ("flag", "bit(1)", None, "b'0'"),
        ("note", "varchar(9)", None, None),
        ("place", "geometry", False, None),
    ]


def test_oracles_storage_clauses_hide_no_column() -> None:
    text = """CREATE TABLE "S"."T" ("ID" NUMBER(10,0) NOT NULL ENABLE, KEY VARCHAR2(30 BYTE)
        DEFAULT 'x', SPAN INTERVAL DAY(2) TO SECOND(6), AT TIMESTAMP (6) WITH LOCAL TIME ZONE,
        RAWS LONG RAW, CONSTRAINT "PK" PRIMARY KEY ("ID") USING INDEX PCTFREE 10 STORAGE(INITIAL 1)
        TABLESPACE "U" ENABLE) SEGMENT CREATION IMMEDIATE LOB ("C") STORE AS SECUREFILE (CHUNK 8)"""
    assert read_one(text, "oracle")["kind"] == "create_table"
    assert read_one(text, "oracle")["key_columns"] == ["ID"]
    assert [(column["column_name"], column["data_type"]) for column in columns(text, "oracle")] == [
        ("ID", "NUMBER(10,0)"),
        ("KEY", "VARCHAR2(30 BYTE)"),
        ("SPAN", "INTERVAL DAY(2) TO SECOND(6)"),
        ("AT", "TIMESTAMP (6) WITH LOCAL TIME ZONE"),
        ("RAWS", "LONG RAW"),
    ]


def test_postgresqls_types_stand_as_written() -> None:
    text = """create table t (id serial primary key, a int[] not null, b character varying(30)
        default 'it''s'::character varying, c timestamp(3) without time zone default now(),
        d double precision default 1.5::double precision, e "S"."mood", f numeric generated
        by default as identity, g text collate "C" references x on delete set null)"""
    assert read_one(text, "postgres")["key_columns"] == ["id"]
    found = [
        (column.get("data_type"), column.get("default_value"))
        for column in columns(text, "postgres")
    ]
    assert found == [
        ("serial", None),
        ("int[]", None),
        ("character varying(30)", "it's"),
        ("timestamp(3) without time zone", None),
        ("double precision", "1.5"),
        ('"S"."mood"', None),
        ("numeric", None),
        ("text", None),
    ]


def test_sql_servers_brackets_are_quotes_also_around_types() -> None:
    text = """CREATE TABLE [d].[dbo].[t] ([id] [int] IDENTITY(1,1) NOT NULL,
        [a] [nvarchar](max) NULL, [b] [bit] DEFAULT ((0)),
        CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY])
        ON [PRIMARY]"""
    assert read_one(text, "sqlserver")["key_columns"] == ["id"]
    assert columns(text, "sqlserver") == [
        {"action": "add", "column_name": "id", "data_type": "int", "is_nullable": False},
        {"action": "add", "column_name": "a", "data_type": "nvarchar(max)", "is_nullable": True},
        {"action": "add", "column_name": "b", "data_type": "bit", "default_value": "0"},
    ]


def change(action: str, column_name: str, data_type: str | None = None, **rest: object) -> dict:
    typed = {"data_type": data_type} if data_type else {}
    return {"action": action, "column_name": column_name} | typed | rest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add column a int", [change("add", "a", "int")]),
        ("add a int first", [change("add", "a", "int", is_first=True)]),
        ("add a varchar(9) default \"te'st\" comment 'a;b' after `b c`",
         [change("add", "a", "varchar(9)", default_value="te'st", after="b c")]),
        ("add column a int after modify", [change("add", "a", "int", after="modify")]),
        ("add column (a int, b int)", [change("add", "a", "int"), change("add", "b", "int")]),
        ("add column if not exists a int", [change("add", "a", "int")]),
        ("add (a int), add column b bool default true, algorithm=inplace, lock=none",
         [change("add", "a", "int"), change("add", "b", "bool", default_value="1")]),
        ("add a int null default (1 + 2) after b",
         [change("add", "a", "int", is_nullable=True, after="b")]),
        ("add a int references x (id) on delete set null", [change("add", "a", "int")]),
        ("add a char(1) default _utf8mb4'x'", [change("add", "a", "char(1)", default_value="x")]),
        ("drop a", [change("drop", "a")]),
        ("drop column if exists a, drop b", [change("drop", "a"), change("drop", "b")]),
        ("change a b int unsigned first",
         [change("rename", "a", "int unsigned", new_name="b", is_first=True)]),
        ("change column a a varchar(30) not null default 'x' after c",
         [change("modify", "a", "varchar(30)", is_nullable=False, default_value="x", after="c")]),
        ("modify column a decimal(10,2) unsigned not null after b",
         [change("modify", "a", "decimal(10,2) unsigned", is_nullable=False, after="b")]),
        ("modify a int, modify b enum('a','b,c)')",
         [change("modify", "a", "int"), change("modify", "b", "enum('a','b,c)')")]),
        ("rename column a to b, rename index i to j", [change("rename", "a", new_name="b")]),
        ("alter column a set default 5", [change("set_default", "a", default_value="5")]),
        ("alter a drop default, alter b set default (now())",
         [change("drop_default", "a"), change("set_default", "b")]),
        ("alter index i invisible, alter check c not enforced", []),
        ("drop check c, drop constraint d", []),
        ("drop check `c`, drop check, drop e", [change("drop", "check"), change("drop", "e")]),
        ("drop column check", [change("drop", "check")]),
        ("drop `check`", [change("drop", "check")]),
    ],
)  # fmt: skip
def test_mysql_alters_columns(text: str, expected: list[dict]) -> None:
    assert columns(f"alter table t {text}") == expected


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("oracle", "modify (a varchar2(30), b not null)",
         [change("modify", "A", "varchar2(30)"), change("modify", "B", is_nullable=False)]),
        ("oracle", "modify a varchar2(30 char) default 'x'",
         [change("modify", "A", "varchar2(30 char)", default_value="x")]),
        ("oracle", "add (a number(5), b date default sysdate, constraint c check (a > 0))",
         [change("add", "A", "number(5)"), change("add", "B", "date")]),
        ("oracle", "add a number modify b date drop (c, d)",
         [change("add", "A", "number"), change("modify", "B", "date"),
          change("drop", "C"), change("drop", "D")]),
        ("oracle", "modify a generated by default on null as identity (start with 22)",
         [change("modify", "A")]),
        ("oracle", "drop column a cascade constraints", [change("drop", "A")]),
        ("oracle", "set unused (a, b)", [change("drop", "A"), change("drop", "B")]),
        ("oracle", 'rename column "a" to "B"', [change("rename", "a", new_name="B")]),
        ("postgres", "alter column a type bigint using (a::bigint), alter b drop not null",
         [change("modify", "a", "bigint"), change("modify", "b", is_nullable=True)]),
        ("postgres", "alter a set data type numeric(9,2), alter b set not null",
         [change("modify", "a", "numeric(9,2)"), change("modify", "b", is_nullable=False)]),
        ("postgres", "rename a to b", [change("rename", "a", new_name="b")]),
        ("postgres", "add partition int", [change("add", "partition", "int")]),
        ("postgres", "drop partition, add b int",
         [change("drop", "partition"), change("add", "b", "int")]),
        ("postgres", "alter key type int, alter index set not null",
         [change("modify", "key", "int"), change("modify", "index", is_nullable=False)]),
        ("sqlserver", "add partition int", [change("add", "partition", "int")]),
        ("oracle", "add overflow number", [change("add", "OVERFLOW", "number")]),
        ("mysql", "add tablegroup varchar(9)", [change("add", "tablegroup", "varchar(9)")]),
        ("mysql", "drop tablegroup, drop b", [change("drop", "b")]),
        ("oracle", "drop primary key drop index drop (a)", [change("drop", "A")]),
        ("oracle", "set unused a add (b int)",
         [change("drop", "A"), change("add", "B", "int")]),
        ("postgres", "drop a restrict, drop constraint c, alter d set statistics 5",
         [change("drop", "a")]),
        ("sqlserver", "add a int, b nvarchar(max) not null",
         [change("add", "a", "int"), change("add", "b", "nvarchar(max)", is_nullable=False)]),
        ("sqlserver", "alter column [a] nvarchar(9) not null",
         [change("modify", "a", "nvarchar(9)", is_nullable=False)]),
        ("sqlserver", "drop column a, b, constraint c, d, column e",
         [change("drop", "a"), change("drop", "b"), change("drop", "e")]),
        ("sqlserver", "add constraint c default 5 for a",
         [change("set_default", "a", default_value="5")]),
        ("db2", "alter column a set data type varchar(5) alter column b set not null",
         [change("modify", "A", "varchar(5)"), change("modify", "B", is_nullable=False)]),
        ("db2", "add column a int not null with default 5 add column b char(3) for bit data",
         [change("add", "A", "int", is_nullable=False, default_value="5"),
          change("add", "B", "char(3) for bit data")]),
        ("db2", "add versioning int add column period date drop column versioning",
         [change("add", "VERSIONING", "int"), change("add", "PERIOD", "date"),
          change("drop", "VERSIONING")]),
        ("db2", "add period system_time (a, b) add c int", [change("add", "C", "int")]),
        ("postgres", "add period system_time, drop versioning",
         [change("add", "period", "system_time"), change("drop", "versioning")]),
    ],
)  # fmt: skip
def test_each_source_alters_columns_its_own_way(
    source: str, text: str, expected: list[dict]
) -> None:
    assert columns(f"alter table t {text}", source) == expected


def test_sql_server_renames_a_column_by_a_procedure() -> None:
    text = "EXEC sp_rename 'dbo.t.a', 'b', 'COLUMN'"
    assert (read_one(text, "sqlserver")["kind"], tables(text, "sqlserver")) == (
        "alter_table",
        ["dbo.t"],
    )
    assert columns(text, "sqlserver") == [change("rename", "a", new_name="b")]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("create table t (a int primary key, b int)", ["a"]),
        ("create table t (a int key, b int unique key)", ["a"]),
        (
            "create table t (a int, b int, constraint primary key using btree (b, a(10)))",
            ["b", "a"],
        ),
        ("create table t (a int)", []),
        ("create table t like x", None),
        ("create table t as select 1", None),
        ("alter table t add a int", None),
        ("alter table t add a int primary key", ["a"]),
        ("alter table t add constraint k primary key (a, b)", ["a", "b"]),
        ("alter table t drop primary key", []),
        ("alter table t drop primary key, add primary key (b)", ["b"]),
        ("alter table t modify primary key (b, a)", ["b", "a"]),
    ],
)
def test_a_statement_tells_the_key_it_sets(text: str, key: list[str] | None) -> None:
    assert read_one(text)["key_columns"] == key


def test_a_text_may_hold_several_statements() -> None:
    text = "create table t (a varchar(9) default ';'); /* ; */ drop table u; # ;\n"
    read = read_ddl(text)
    assert [one["kind"] for one in read["statements"]] == ["create_table", "drop_table"]
    assert read["parse_error"] is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("alter table t add a int alter table u add b int", "alter_table alter_table"),
        ("drop table a drop table b; drop table c", "drop_table drop_table drop_table"),
        ("use d create table t (a int) truncate table t", "use_database create_table "
         "truncate_table"),
        ("begin tran drop table t commit", "other drop_table"),
        ("drop table t go create procedure p as begin drop table u; drop table v end",
         "drop_table create_procedure"),
        ("create procedure p as drop table t drop table u", "create_procedure"),
        ("grant create table to u", "grant"),
        ("create schema s create table t (a int)", "create_schema"),
        ("alter table [create] add [table] int drop column [alter]", "alter_table"),
    ],
)  # fmt: skip
def test_sql_servers_statements_need_no_semicolon(text: str, kinds: str) -> None:
    read = read_ddl(text, "sqlserver")
    assert (" ".join(one["kind"] for one in read["statements"]), read["parse_error"]) == (
        kinds,
        None,
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SET STATEMENT max_statement_time=60 FOR alter table t add a int", "alter_table"),
        ("Set Statement a=1, b='x for ; y', c=(1 + if(a, 2, 3)) for truncate table t",
         "truncate_table"),
        ("set /* for */ statement a=1 -- for\n for rename table t to u", "rename_table"),
        ("/*M!100101 set statement a=substring('x' from 1 for 1) for */ drop table t",
         "drop_table"),
        ("set statement a=1 for create procedure p() begin drop table t; drop table u; end",
         "create_procedure"),
        ("set statement a=1 for insert into t values (1)", "other"),
        ("set statement a=1", "other"),
        ("set statement = 1", "other"),
        ("set a = 1 for drop table t", "other"),
    ],
)  # fmt: skip
def test_settings_for_one_statement_stand_before_it(text: str, kind: str) -> None:
    statement = read_one(text)
    assert (statement["kind"], bool(statement["tables"])) == (kind, "_table" in kind)


def test_settings_end_where_their_statement_does() -> None:
    read = read_ddl("set statement a=1; drop table t; set statement a=(1 for drop table u")
    assert [one["kind"] for one in read["statements"]] == ["other", "drop_table", "other"]


def test_what_sql_server_does_on_a_condition_is_not_known() -> None:
    read = read_ddl("if object_id('t') is null drop table t", "sqlserver")
    assert [one["kind"] for one in read["statements"]] == ["unknown"]


@pytest.mark.parametrize(
    "text",
    [
        "create procedure p() begin drop table t; truncate table t; end",
        "create definer=`r`@`%` trigger g after insert on t for each row begin drop table t; end",
        "create definer=user@localhost procedure p() begin drop table t; truncate table u; end",
        "create or replace definer = role function p() begin drop table t; end",
        "begin drop table t; end",
        "declare x int; begin drop table t; end",
    ],
)
def test_what_a_routine_would_do_is_not_done_yet(text: str) -> None:
    (statement,) = read_ddl(text)["statements"]
    assert statement["tables"] == []


def test_begin_and_commit_around_a_statement_are_statements() -> None:
    read = read_ddl("begin; drop table t; commit")
    assert [one["kind"] for one in read["statements"]] == ["other", "drop_table", "other"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add column a int, drop b", [change("add", "a", "int"), change("drop", "b")]),
        ("ADD a int", [change("add", "a", "int")]),
        ("drop column a", [change("drop", "a")]),
        ("modify a int", [change("modify", "a", "int")]),
        ("change column a b int", [change("rename", "a", "int", new_name="b")]),
        ("CHANGE a b int", [change("rename", "a", "int", new_name="b")]),
        ("rename column a to b", [change("rename", "a", new_name="b")]),
        ("alter column a drop default", [change("drop_default", "a")]),
    ],
)
def test_an_action_without_alter_table_alters_the_messages_own(
    text: str, expected: list[dict]
) -> None:
    assert (read_one(text)["kind"], tables(text), columns(text)) == ("alter_table", [], expected)


@pytest.mark.parametrize(
    "comment",
    ["/* a; */", "-- drop table x\n", "# a'b\n", "/*+ hint */", "/* ' */ -- \n"],
)
def test_comments_say_nothing(comment: str) -> None:
    assert tables(f"{comment}alter table {comment} t drop a") == ["t"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("drop tabel t", "expected the kind of an object at 'tabel'"),
        ("drop table", "expected a name at the end of the statement"),
        ("create table t (a int", "a bracket is not closed at '('"),
        ("create table t", "a table without columns, model or query"),
        ("rename table a b", "expected TO at 'b'"),
        ("alter table t add column", "expected a name at the end of the statement"),
        ("hello world", "no known statement at 'hello'"),
        ("drop table 'a", "quotes or comments do not match"),
        ("drop table t /* a", "quotes or comments do not match"),
        ("x" * (MAX_LENGTH + 1), "the text has 200001 characters, more than 200000"),
    ],
)
def test_what_nobody_can_read_says_why_in_one_line(text: str, reason: str) -> None:
    read = read_ddl(text)
    assert [one["kind"] for one in read["statements"]] == ["unknown"]
    assert read["parse_error"].startswith(reason)
    assert "\n" not in read["parse_error"]


@pytest.mark.parametrize("text", ["", "  ", "-- nothing", ";;"])
def test_a_text_without_a_statement_says_so(text: str) -> None:
    assert read_ddl(text) == {"statements": [], "parse_error": "the text holds no statement"}


def test_one_unreadable_statement_leaves_the_others_readable() -> None:
    read = read_ddl("drop table a; drop; drop table b")
    assert [one["kind"] for one in read["statements"]] == ["drop_table", "unknown", "drop_table"]
    assert read["parse_error"]


def test_a_column_of_texts_keeps_its_nulls_and_order() -> None:
    texts = pa.array(["drop table b", None, "drop table a", "drop table b"])
    found = parse_ddl(texts, pa.array(["mysql", "mysql", None, "mysql"]))
    assert found.type == DDL_TYPE
    names = [one and one["statements"][0]["tables"][0]["table_name"] for one in found.to_pylist()]
    assert names == ["b", None, "a", "b"]
    assert parse_ddl(pa.array([], pa.string()), pa.array([], pa.string())).type == DDL_TYPE


WORDS = st.sampled_from(
    [
        *("create", "alter", "drop", "rename", "truncate", "table", "column", "add", "modify"),
        *("change", "to", "as", "like", "first", "after", "key", "primary", "default", "null"),
        *("(", ")", ",", ";", ".", "'", '"', "`", "[", "]", "--", "#", "/*", "*/", "/*!", "::"),
        *("$", "$$", "q'[", "1", "0x", "a", "`b`", "'c'", "unsigned", "varchar(3)", "not", "set"),
        *("exec", "sp_rename", "partition", "with", "for", "if", "exists", "begin", "procedure"),
        *("statement", "versioning", "period"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))


@settings(deadline=None, max_examples=400)
@given(TEXTS, st.sampled_from(SOURCES))
def test_no_text_raises(text: str, source: str) -> None:
    found = parse_ddl(pa.array([text]), pa.array([source])).to_pylist()[0]
    unknown = [one for one in found["statements"] if one["kind"] == "unknown"]
    assert bool(unknown) <= bool(found["parse_error"])


@settings(deadline=None, max_examples=10)
@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from(SOURCES))
def test_no_text_takes_long(words: list[str], source: str) -> None:
    text = (" ".join(words) + " ") * MAX_LENGTH
    started = time.process_time()
    read_ddl(text[:MAX_LENGTH], source)
    assert time.process_time() - started < 5


def test_many_empty_statements_take_no_longer() -> None:
    started = time.process_time()
    assert read_ddl(";" * MAX_LENGTH)["parse_error"] == "the text holds no statement"
    assert time.process_time() - started < 5


name_texts = st.text(st.characters(exclude_categories=["C"], exclude_characters="`"), min_size=1)


@settings(deadline=None)
@given(name_texts, name_texts)
def test_any_quoted_name_comes_back(database: str, table: str) -> None:
    (found,) = read_one(f"drop table `{database}`.`{table}`")["tables"]
    assert (found["database_name"], found["table_name"]) == (database, table)


@pytest.mark.parametrize(
    ("source", "text", "key"),
    [
        ("mysql", "alter table t add k bigint primary key first, drop primary key", ["k"]),
        ("mysql", "alter table t add primary key (b), drop primary key", ["b"]),
        ("mysql", "alter table t drop primary key, add primary key (b)", ["b"]),
        ("mysql", "alter table t drop primary key", []),
        ("mysql", "create table t (like u)", None),
        ("postgres", "create table t (like u)", []),
        ("postgres", "create table t (like u including all excluding indexes)", []),
        ("postgres", "create table t (like u including defaults including indexes)", None),
        ("postgres", "create table t (like u including all, like v)", None),
        ("postgres", "create table t (like u, a int primary key)", ["a"]),
        ("postgres", "create table t () inherits (p)", []),
        ("db2", "create table t like u", []),
        # "To drop a primary key, the index name is always PRIMARY."
        ("mysql", "drop index `PRIMARY` on t", []),
        ("mysql", "alter table t drop index `PRIMARY`", []),
        ("mysql", "alter table t drop key `PRIMARY`, add primary key (b)", ["b"]),
        ("mysql", "alter table t drop constraint `PRIMARY`", []),
        ("mysql", "drop index a on t", None),
        ("mysql", "alter table t drop index a", None),
        # OceanBase's Oracle mode has a new key so; Oracle itself only another state of the old one.
        ("oracle", "alter table t modify primary key (b, a) add c int", ["B", "A"]),
        ("oracle", "alter table t modify primary key using index (create index i on t (a))", None),
        ("oracle", "alter table t modify primary key disable", None),
        ("mssql", "create table t (a int primary key, b int foreign key references p (b))", ["a"]),
        ("mssql", "alter table t add b int constraint f foreign key references p (b)", None),
    ],
)
def test_a_statement_says_the_key_or_nothing_of_it(
    source: str, text: str, key: list[str] | None
) -> None:
    assert read_one(text, source)["key_columns"] == key


@pytest.mark.parametrize(
    ("source", "text", "kind"),
    [
        ("mysql", "alter table t add column group (all columns, each column)", "alter_table"),
        ("mysql", "alter table t drop column group (each column)", "alter_table"),
        ("mysql", "alter table t rename index if exists a to b", "alter_table"),
        ("oracle", "alter table t rename subpartition a to b", "alter_table"),
        ("oracle", "alter table t add clustering by linear order (a)", "alter_table"),
        ("oracle", "alter table t modify clustering no on load", "alter_table"),
        ("oracle", "alter table t drop clustering", "alter_table"),
        ("oracle", "alter table t add overflow tablespace x", "alter_table"),
        ("oracle", "alter table t add (scope for (x) is y)", "alter_table"),
        ("oracle", "alter table t add scope for (x) is y", "alter_table"),
        ("oracle", "alter table t drop constraint pk cascade drop index", "alter_table"),
        ("mysql", "alter table t add period if not exists for system_time (a, b)", "alter_table"),
        ("mysql", "alter table t drop period if exists for system_time", "alter_table"),
        ("mysql", "alter table t add clustering key k (a)", "alter_table"),
        ("mysql", "alter table t add tablegroup tg", "alter_table"),
        ("oracle", "alter table t add tablegroup tg", "alter_table"),
        ("mysql", "alter table t drop tablegroup", "alter_table"),
        ("db2", "alter table t alter foreign key k not enforced", "alter_table"),
        ("db2", "alter table t add partition p starting 1 ending 5", "add_partition"),
        ("db2", "alter table t add versioning use history table h", "alter_table"),
        ("db2", "alter table t add versioning use history table h on delete add extra row",
         "alter_table"),
        ("db2", "alter table t drop versioning", "alter_table"),
        ("db2", "alter table t add period system_time (a, b)", "alter_table"),
        ("db2", "alter table t add period business_time (a, b) drop period system_time",
         "alter_table"),
    ],
)  # fmt: skip
def test_what_is_no_column_and_no_table_is_left_alone(source: str, text: str, kind: str) -> None:
    part = read_one(text, source)
    assert (part["kind"], part["column_changes"], part["key_columns"]) == (kind, [], None)
    assert [table["new_table_name"] for table in part["tables"]] == [None]


@pytest.mark.parametrize(
    ("source", "text", "value"),
    [
        ("oracle", "alter table t add (\"a\" varchar2(9) default '')", None),
        ("mysql", "alter table t add a varchar(9) default ''", ""),
        ("mysql", "alter table t add a decimal(3, 1) default .5", ".5"),
        ("mysql", "alter table t add a decimal(3, 1) default -.5", "-.5"),
        ("mssql", "alter table t add default ((0)) for a", "0"),
    ],
)
def test_a_default_is_what_the_source_takes_it_for(
    source: str, text: str, value: str | None
) -> None:
    (changed,) = read_one(text, source)["column_changes"]
    assert (changed["column_name"], changed["default_value"]) == ("a", value)
