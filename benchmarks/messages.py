"""Generates the messages that every step reads: the same for the same count, on every machine.

An order has 10 columns: whole numbers, decimals with trailing zeros (``1.10``), numbers of more
than 20 digits, texts with emoji, NULLs. Of ten messages three are inserts, six updates, one is a
delete. Each row image has an ``image_id`` of its own, by which ``number_texts`` finds it again.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ENVELOPES = {"canal": "oms_canal", "debezium": "oms_debezium", "datastream": "datastream"}
WARM_UP = 20_000  # messages of each envelope in each of the warm-up's two batches
FIRST_MEASURED = 2 * WARM_UP  # the number of the first message that is measured
MEASURED_BATCH = 3
KEYS = 100_003  # messages until the same rows come again
FIRST_SECOND = 1_714_521_600  # 2024-05-01, UTC

CUSTOMERS = ("Zoë Müller", "李小龍", "Ana 😀 García", 'O\'Neil \\"Bob\\"', "Иван", "J. Smith 🚀")
NOTES = ("null", '"urgent"', '"ring twice, then wait"', "null", '""')
STATES = ("new", "paid", "sent", "back")

MYSQL_TYPES = (
    '{"id":"bigint","image_id":"char(14)","customer":"varchar(40)","quantity":"int",'
    '"price":"decimal(9,2)","balance":"decimal(30,2)","rate":"decimal(5,4)","is_paid":"tinyint(1)",'
    '"note":"text","state":"char(4)"}'
)
SQL_TYPES = (
    '{"id":-5,"image_id":1,"customer":12,"quantity":4,"price":3,"balance":3,"rate":3,"is_paid":-7,'
    '"note":2005,"state":1}'
)


def write_messages(folder: Path, first: int, count: int) -> None:
    """Write ``count`` messages of each envelope, numbered from ``first``, a folder a topic."""
    for topic, message in (("canal", canal), ("debezium", debezium), ("datastream", datastream)):
        (folder / topic).mkdir(parents=True)
        with open(folder / topic / "messages.jsonl", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines(message, first, count))


def lines(message: Callable[[int], str], first: int, count: int) -> Iterator[str]:
    """``count`` messages of one kind, numbered from ``first``, each with the end of its line."""
    for number in range(first, first + count):
        yield message(number) + "\n"


def canal(number: int) -> str:
    """One statement's message: its rows in ``data``, what an update changed in ``old``."""
    kind = _kind(number)
    rows = range(1 + (number % 4 == 0) + (number % 12 == 0))
    data = ",".join(_order(number, f"c-{number:09d}-{row}a", row) for row in rows)
    old = "null"
    if kind == "UPDATE":
        old = f"[{','.join(_former_values(number, row) for row in rows)}]"
    milliseconds = _second(number) * 1000
    return (
        f'{{"data":[{data}],"database":"shop","es":{milliseconds},"id":{number},"isDdl":false,'
        f'"mysqlType":{MYSQL_TYPES},"old":{old},"pkNames":["id"],"sql":"","sqlType":{SQL_TYPES},'
        f'"table":"orders","ts":{milliseconds + 312},"type":"{kind}"}}'
    )


def debezium(number: int) -> str:
    """One changed row of MySQL with both its images."""
    kind = _kind(number)
    before = "null" if kind == "INSERT" else _order(number, f"d-{number:09d}-0b", 0, 1)
    after = "null" if kind == "DELETE" else _order(number, f"d-{number:09d}-0a")
    milliseconds = _second(number) * 1000
    return (
        f'{{"payload":{{"before":{before},"after":{after},"source":{{"version":"3.0.8.Final",'
        f'"connector":"mysql","name":"shop","ts_ms":{milliseconds},"snapshot":"false","db":"shop",'
        f'"sequence":null,"table":"orders","server_id":1,"gtid":null,"file":"mysql-bin.000123",'
        f'"pos":{number * 613 + 4},"row":0,"thread":7,"query":null}},"transaction":null,'
        f'"op":"{kind[0].lower().replace("i", "c")}","ts_ms":{milliseconds + 312}}}}}'
    )


def datastream(number: int) -> str:
    """One event of a MySQL source."""
    kind = _kind(number)
    row = _order(number, f"s-{number:09d}-0a")
    minutes, seconds = divmod(_second(number) - FIRST_SECOND, 60)
    time = f"2024-05-{1 + minutes // 1440:02d}T{minutes // 60 % 24:02d}:{minutes % 60:02d}"
    return (
        f'{{"uuid":"{number:08x}-1efc-0a10-a084-{number * 7919:012x}",'
        f'"read_timestamp":"{time}:{seconds:02d}.812Z",'
        f'"source_timestamp":"{time}:{seconds:02d}.000Z","object":"shop_orders",'
        f'"read_method":"mysql-cdc-binlog","stream_name":"projects/1/locations/eu/streams/shop",'
        f'"schema_key":"4cb2b1a1f3b8","sort_keys":[{_second(number)}000,"mysql-bin.000123",'
        f'{number * 613 + 4}],"source_metadata":{{"table":"orders","database":"shop",'
        f'"primary_keys":["id"],"log_file":"mysql-bin.000123","log_position":{number * 613 + 4},'
        f'"change_type":"{kind}","is_deleted":{"true" if kind == "DELETE" else "false"}}},'
        f'"payload":{row}}}'
    )


def _kind(number: int) -> str:
    return ("INSERT", "UPDATE", "UPDATE")[number % 3] if number % 10 else "DELETE"


def _second(number: int) -> int:
    return FIRST_SECOND + number // 200


def _mixed(number: int) -> int:
    """A number's bits spread over 32 (Knuth's multiplicative hash), in place of a random number."""
    return number * 2_654_435_761 & 0xFFFFFFFF


def _order(number: int, image_id: str, row: int = 0, version: int = 0) -> str:
    mixed = _mixed(number + row + version)
    return (
        f'{{"id":{1_000_000 + number % KEYS * 3 + row},"image_id":"{image_id}",'
        f'"customer":"{CUSTOMERS[mixed % 6]}","quantity":{mixed % 40},"price":{_price(mixed)},'
        f'"balance":{mixed + 10**14}{mixed % 10**6:06d}.{mixed % 100:02d},"rate":0.{mixed % 90}00,'
        f'"is_paid":{mixed & 1},"note":{NOTES[mixed % 5]},"state":"{STATES[mixed >> 9 & 3]}"}}'
    )


def _former_values(number: int, row: int) -> str:
    mixed = _mixed(number + row + 1)
    return f'{{"image_id":"c-{number:09d}-{row}b","quantity":{mixed % 40},"price":{_price(mixed)}}}'


def _price(mixed: int) -> str:
    return f"{mixed % 997}.{(mixed >> 10) % 10}0"


if __name__ == "__main__":
    write_messages(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
