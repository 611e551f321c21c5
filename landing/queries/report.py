"""One HTML page of how the warehouse stands, with plots. It loads nothing from elsewhere."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from landing.queries.shown import shown_cell
from landing.queries.status import Status, status
from landing.session.results import last_results

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEMPLATE = "report.html.jinja"
# A plot has at most so many places in time, and so many topics or tables; a list so many rows.
MOMENTS, SERIES, ROWS = 120, 10, 100
OTHERS = "all others"
# One for each series and one for all others; seen on light and on dark paper.
COLORS = (
    *("#3b82c4", "#d98032", "#3f9b6d", "#b85a8a", "#8a72c9", "#b39a2e"),
    *("#5fa8b8", "#c45f55", "#7d8f3f", "#8c7a6b", "#888888"),
)
# Longer spans are shown by day.
SPAN_BY_HOUR = timedelta(days=4)
UNITS = {"hour": "%m-%d %H:00", "day": "%Y-%m-%d"}

SPAN = "select min(landed_at) as first, max(landed_at) as last from bronze.batches"
ARRIVALS = """
select date_trunc('{unit}', landed_at) as moment, file.topic as name, sum(file.messages) as value
from bronze.batches
    lateral view explode(files) as file
group by all
having value > 0
"""
# How old the oldest event was that landed in a span, of the changes and of the vendors' heartbeats.
LAGS = """
select
    date_trunc('{unit}', landed_at) as moment,
    concat(topic, heartbeat) as name,
    max(unix_micros(landed_at) - unix_micros(event_at)) / 60e6 as value
from (
    select topic, batch, event_at, '' as heartbeat from silver.change_log
    union all
    select topic, batch, event_at, ' (heartbeats)' from silver.control_log where kind = 'heartbeat'
)
inner join bronze.batches using (batch)
where event_at is not null
group by all
"""
OPERATIONS = """
select
    concat_ws('.', source, database_name, schema_name, table_name) as moment,
    operation as name,
    count(*) as value
from silver.change_log
group by all
"""
SCHEMA_CHANGES = """
select
    date_trunc('day', event_at) as moment,
    coalesce(kind, 'not understood') as name,
    count(*) as value
from silver.ddl_log
where event_at is not null
group by all
"""
LISTS = {
    "quarantine": """
        select topic, reason, count(*) as messages, left(min(message), 500) as example
        from silver.quarantine
        group by topic, reason
        order by messages desc, topic, reason
    """,
    "statements": """
        select event_at, source, kind, left(statement, 500) as statement, parse_error
        from silver.ddl_log
        order by event_at desc nulls last, log_position desc
    """,
    "cast failures": """
        select model_name, column_name, count(*) as values, left(min(value), 100) as example
        from gold.cast_failures
        group by model_name, column_name
        order by values desc, model_name, column_name
    """,
}


@dataclass(frozen=True)
class Listed:
    """A list as text; ``is_cut`` where there are more rows."""

    names: list[str]
    rows: list[list[str]]
    is_cut: bool


def report(spark: "SparkSession") -> str:
    """The page. Raises :class:`UserError` where nothing has landed or nothing is built yet."""
    found = status(spark)
    (span,) = spark.sql(SPAN).collect()
    is_short = span.first is None or span.last - span.first <= SPAN_BY_HOUR
    unit = "hour" if is_short else "day"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE).render(
        now=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        reasons=[shown_cell(reason) for reason in found.reasons],
        plots={
            f"Messages landed, by {unit}": _over_time(_rows(spark, ARRIVALS, unit), unit, True),
            f"Oldest event landed, minutes behind, by {unit}": _over_time(
                _rows(spark, LAGS, unit), unit, False
            ),
            "Changes of tables": _by_table(_rows(spark, OPERATIONS)),
            "Statements of the sources, by day": _over_time(
                _rows(spark, SCHEMA_CHANGES), "day", True
            ),
        },
        lists=_of_status(found)
        | {name: _list(spark, query) for name, query in LISTS.items() if _is_there(spark, query)}
        | {"data tests": _tests()},
    )


def _rows(spark: "SparkSession", query: str, unit: str = "") -> list[tuple[Any, str, float]]:
    rows = spark.sql(query.format(unit=unit)).collect()
    return [(row.moment, shown_cell(row.name), row.value) for row in rows]


def _is_there(spark: "SparkSession", query: str) -> bool:
    """Whether the table is there that a list is made of: a home may have no typed models."""
    return "gold.cast_failures" not in query or spark.catalog.tableExists("gold.cast_failures")


def _list(spark: "SparkSession", query: str) -> Listed:
    frame = spark.sql(query).limit(ROWS + 1)
    rows = [[shown_cell(_plain(value)) for value in row] for row in frame.collect()]
    return Listed([name.replace("_", " ") for name in frame.columns], rows[:ROWS], len(rows) > ROWS)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return str(value) if isinstance(value, int) else value


def _of_status(found: Status) -> dict[str, Listed]:
    names = ["topic", "last landing", "messages", "changes", "statements", "control", "repeats"]
    topics = [
        [
            shown_cell(topic.topic),
            "" if topic.last_landed_at is None else _plain(topic.last_landed_at),
            *(f"{getattr(topic, name):,}" for name in names[2:]),
            f"{sum(topic.quarantined.values()):,}",
        ]
        for topic in found.topics
    ]
    runs = [
        [
            _plain(run.built_at or run.ended_at or ""),
            "" if run.rows is None else f"{run.rows:,}",
            "" if run.seconds is None else f"{run.seconds:.1f}",
            f"last dbt {run.command}: {run.outcome()}" if run.command else "",
        ]
        for run in found.runs
    ]
    return {
        "topics": Listed([*names, "quarantined"], topics[:ROWS], len(topics) > ROWS),
        "runs": Listed(["run", "rows of the log", "seconds", "models and tests"], runs, False),
    }


def _tests() -> Listed:
    """The data tests of the last dbt test or build, those that found something first."""
    found = last_results("test", "build")
    rows = [
        [
            result["unique_id"].split(".")[2],
            result["status"],
            str(result.get("failures") or ""),
            f"{result['execution_time']:.1f}",
        ]
        for result in (found[1]["results"] if found else [])
        if result["unique_id"].startswith("test.")
    ]
    rows.sort(key=lambda row: (row[1] == "pass", row[0]))
    return Listed(["test", "status", "rows found", "seconds"], rows[:ROWS], len(rows) > ROWS)


def _over_time(rows: list[tuple[Any, str, float]], unit: str, is_sum: bool) -> str:
    """A plot by time: columns on each other for what can be added, else lines."""
    moments = sorted({moment for moment, _, _ in rows})[-MOMENTS:]
    names = _greatest((name, value) for _, name, value in rows)
    chart = _chart("StackedBar" if is_sum else "Line", len(moments))
    chart.x_labels = [f"{moment.astimezone(UTC):{UNITS[unit]}}" for moment in moments]
    for name, values in _series(rows, moments, names, sum if is_sum else max).items():
        chart.add(name, values)
    return _svg(chart)


def _by_table(rows: list[tuple[Any, str, float]]) -> str:
    """Bars by table, the operations on each other."""
    tables = _greatest((shown_cell(table), value) for table, _, value in rows)
    counted = [(name if name in tables else OTHERS, op, n) for name, op, n in rows]
    places = [*tables, *([OTHERS] if any(name == OTHERS for name, _, _ in counted) else [])]
    chart = _chart("HorizontalStackedBar", len(places))
    chart.x_labels = places
    operations = sorted({operation for _, operation, _ in rows})
    for name, values in _series(counted, places, operations, sum).items():
        chart.add(name, values)
    return _svg(chart)


def _greatest(values: Iterable[tuple[str, float]]) -> list[str]:
    """The names with the greatest sums, the greatest first."""
    sums: dict[str, float] = {}
    for name, value in values:
        sums[name] = sums.get(name, 0) + float(value)
    return sorted(sums, key=lambda name: (-sums[name], name))[:SERIES]


def _series(
    rows: list[tuple[Any, str, float]], places: list[Any], names: list[str], fold: Any
) -> dict[str, list[float | None]]:
    """The values of each name, place by place; those of all other names together."""
    cells: dict[tuple[str, Any], list[float]] = {}
    for place, name, value in rows:
        cells.setdefault((name if name in names else OTHERS, place), []).append(float(value))
    shown = [*names, *([OTHERS] if any(name == OTHERS for name, _ in cells) else [])]
    return {
        name: [fold(cells[name, place]) if (name, place) in cells else None for place in places]
        for name in shown
    }


def _chart(kind: str, places: int) -> Any:
    import pygal
    from pygal.style import Style

    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--ink)",
        foreground_strong="var(--ink)",
        foreground_subtle="var(--faint)",
        guide_stroke_color="var(--line)",
        major_guide_stroke_color="var(--line)",
        font_family="system-ui, sans-serif",
        colors=COLORS,
    )
    height = max(260, 60 + 26 * places) if kind.startswith("Horizontal") else 320
    return getattr(pygal, kind)(
        style=style,
        js=[],
        disable_xml_declaration=True,
        width=960,
        height=height,
        margin=10,
        # The last row of the legend may have no place of its own.
        margin_bottom=40,
        legend_at_bottom=True,
        legend_at_bottom_columns=3,
        truncate_legend=40,
        truncate_label=40,
        x_label_rotation=0 if kind.startswith("Horizontal") else 30,
        show_minor_x_labels=places <= 24,
        x_labels_major_every=max(places // 12, 1),
        no_data_text="nothing yet",
        value_formatter=lambda value: f"{value:,.0f}",
        dots_size=2,
        show_dots=True,
    )


def _svg(chart: Any) -> str:
    """The plot as XML, in which texts of the log are escaped; without scripts and comments."""
    from pygal.etree import etree

    plot = chart.render_tree()
    for parent in list(plot.iter()):
        for child in list(parent):
            if not isinstance(child.tag, str) or child.tag.endswith("script"):
                parent.remove(child)
    return etree.tostring(plot, encoding="unicode")
