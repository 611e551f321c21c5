"""Joins batches that silver holds into larger ones, so that bronze has few partitions and files.

A batch every half a minute would leave a million partitions a year. The messages keep their places
and their texts, and lie in the newest of the batches that are joined; the rows of the others in
``bronze.batches`` stay, by which landing goes on, and name it in ``joined_into``.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from landing.bronze import rewrites, store
from landing.bronze.expire import waiting_batches
from landing.bronze.rewrites import Part, Rewrite
from landing.errors import LandingError
from landing.tables.land import INGRESS as TABLE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Messages of a joined batch at the most, and of one that is joined however few the newer ones have.
LARGE = 1_000_000
SMALL = 10_000


@dataclass(frozen=True)
class Held:
    """A batch and the messages that each bronze table holds of it."""

    batch: int
    tables: dict[str, int]

    @property
    def messages(self) -> int:
        """All of them."""
        return sum(self.tables.values())


def join(spark: "SparkSession", progress: Callable[[str], None] = lambda step: None) -> int:
    """Join what can be joined, one commit a group; says how many batches there are fewer.

    Batches that no run has built stay as they are.
    """
    store.add_columns(spark)
    rewrites.complete(spark)
    fewer = 0
    for group in groups(_held(spark), set(waiting_batches(spark))):
        progress(f"joining {len(group)} batches of bronze into one")
        _join(spark, group)
        fewer += len(group) - 1
    rewrites.complete(spark)
    return fewer


def groups(batches: Iterable[Held], waiting: set[int]) -> list[list[Held]]:
    """The batches to join, the newest ones first: neighbours, none of them waiting.

    An older batch goes with the newer ones unless it is larger than they are together. So each
    message is written anew a few times in its life, and few batches of each size are left.
    """
    found: list[list[Held]] = [[]]
    total = 0
    for held in sorted(batches, key=lambda held: held.batch, reverse=True):
        is_waiting = held.batch in waiting
        if is_waiting or total + held.messages > LARGE or held.messages > max(total, SMALL):
            found.append([])
            total = 0
        if not is_waiting:
            found[-1].append(held)
            total += held.messages
    return [group for group in found if len(group) > 1]


def _held(spark: "SparkSession") -> list[Held]:
    """The batches that have messages in bronze.

    Without those of tables, which may bring one place twice: in one batch these could not be told
    apart.
    """
    rows = spark.table("bronze.batches").where(f"size(tables) > 0 and ingress <> '{TABLE}'")
    return [
        Held(row.batch, {fed.envelope: fed.messages for fed in row.tables})
        for row in rows.select("batch", "tables").collect()
    ]


def _join(spark: "SparkSession", group: list[Held]) -> None:
    """Write the messages of these batches anew as those of the newest one, and commit that."""
    from pyspark.sql.functions import lit

    number = rewrites.next_number(spark)
    newest, *others = group
    parts: list[Part] = [(envelope, held.batch) for held in group for envelope in held.tables]
    sums: Counter[str] = Counter()
    for held in group:
        sums.update(held.tables)
    folder = rewrites.folder_of(spark, number)
    places = rewrites.locations(spark, number, parts).values()
    lines = rewrites.landed_lines(spark, places).withColumn("batch", lit(newest.batch))
    rewrites.write_lines(lines, folder)
    lies = {envelope: f"{folder}/envelope={envelope}/batch={newest.batch}" for envelope in sums}
    written = rewrites.landed_lines(spark, lies.values()).groupBy("envelope").count().collect()
    if sums != Counter({row["envelope"]: row["count"] for row in written}):
        raise LandingError("bronze changed while it was read; nothing was joined")
    now = datetime.now(UTC)
    tables = [(envelope, lies[envelope], messages) for envelope, messages in sorted(sums.items())]
    joined = [Rewrite(number, now, "join", None, tables, newest.batch)]
    for held in others:
        left = [(envelope, None, 0) for envelope in held.tables]
        joined.append(Rewrite(number, now, "join", None, left, held.batch))
    rewrites.commit(spark, joined)
