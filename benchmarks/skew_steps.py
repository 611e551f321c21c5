"""The same number of changes, spread evenly or not, from bronze to the state and to the history.

SharePlex, as its updates bring whole rows or changed columns only.
"""

import os
import sys
from pathlib import Path

from benchmarks.measure import Report, cpu_seconds
from benchmarks.onelog_steps import ignore, model_costs, run_models

FIRST_SECOND = 1_714_521_600  # 2024-05-01, UTC
TABLES, MANY_TABLES = 100, 2_000
ROWS = 1_000_000  # of all tables together
WARM_UP, FEW = 20_000, 1_000
HISTORY = """
    select count(*), sum(xxhash64(to_json(key), to_json(row), valid_to)) from gold.row_history
    where database_name = 'shop' and table_name = 'orders_0'
"""


def main(folder: Path, spread: str, count: int) -> None:
    """Measure ``count`` changes with one spread, in a home of its own."""
    from landing.files.land import land_files
    from landing.session import open_session

    report = Report()
    messages = folder / "messages" / f"skew_{spread}"
    begin = 0
    batches = {"first": WARM_UP, "second": WARM_UP, "measured": count, "few": FEW}
    for batch, size in batches.items():
        write_changes(messages / batch, spread, begin, size)
        begin += size
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        for batch in ("first", "second"):
            land_files(spark, (str(messages / batch),))
            run_models(ignore, "+row_states +row_history")
            run_models(ignore, "row_states", "--full-refresh")
        land_files(spark, (str(messages / "measured"),))
        run_models(model_costs(report), "+row_states +row_history")
        with report.measured("history"):
            spark.sql(HISTORY).collect()
        land_files(spark, (str(messages / "few"),))
        with report.measured("few"):
            run_models(ignore, "+row_states +row_history")
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def write_changes(folder: Path, spread: str, begin: int, count: int) -> None:
    """Write so many changes from a number on, as a file of the topic ``skew``."""
    (folder / "skew").mkdir(parents=True)
    with open(folder / "skew" / "messages.jsonl", "w") as file:
        file.writelines(message(spread, number) for number in range(begin, begin + count))


def message(spread: str, number: int) -> str:
    """One change, as a line; the table and the key that it is of are what the spread decides.

    ``even``: all tables alike; ``tables``: and there are many; ``table``: nine of ten changes are
    of one table; ``key``: all are of one row; ``partial``: and bring the changed columns only.
    """
    tables = MANY_TABLES if spread == "tables" else TABLES
    row = number * 7 % ROWS
    table, key = row % tables, row // tables
    if spread == "table" and number % 10:
        table = 0
    elif spread in ("key", "partial"):
        table, key = 0, 1
    changed = f'"quantity":{number % 40},"price":"{number % 997}.10"'
    kept = f'"id":{key},"customer":"Zoë {key % 97}","note":"ring twice, then wait"'
    images = f'"data":{{{changed if spread == "partial" else f"{kept},{changed}"}}}'
    if spread != "partial":
        images += f',"key":{{{kept},"quantity":{(number + 7) % 40},"price":"{number % 89}.10"}}'
    day, second = divmod(number // 500, 86_400)
    time = f"2024-05-{1 + day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    scn = f"{FIRST_SECOND + number // 500}{number % 500:03d}"
    return (
        f'{{{images},"meta":{{"op":"upd","table":"shop.orders_{table}",'
        f'"rowid":"shop.orders_{table}-{key}","time":"{time}","scn":"{scn}"}}}}\n'
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
