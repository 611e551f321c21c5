"""What became of one message: from its text in bronze to the rows of gold, a step at a time."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from landing.errors import UserError
from landing.queries import effects
from landing.queries.built import is_built
from landing.queries.positions import in_words
from landing.queries.story import Found, Step, listed, place, rows_of
from landing.registry import registered_envelopes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LANDED = "A landing is one batch. Bronze keeps each message of it whole, at its place."
ENVELOPE = (
    "The envelope is the format by which a message is read. seeds/topics.csv names it for the "
    "topic; else the message's own keys tell it."
)
EVENTS = (
    "The envelope's view says where in the message each field lies. Each row, statement or control "
    "event of the message is an event."
)
LOGS = (
    "Settings and statements say what the table's name means at the event's position, and its key. "
    "Each event is then in one of the logs."
)
# What a half of a split update does until the other one is there.
WAITS = {
    "before": "for its other half; until then it touches no row",
    "after": "for its other half; until then it counts as a partial image",
}
# Whatever stands in topics' names: they are values of queries, never their text.
PLACES = """
select
    batch,
    coalesce(joined_into, batch) as lies_in,
    landed_at,
    ingress,
    moved.partition,
    moved.next_offset,
    filter(files, file -> file.topic = :topic) as files
from bronze.batches
    lateral view explode(offsets) as moved
where moved.topic = :topic
"""
AT_PLACE = "topic = :topic and partition = :partition and offset = :offset"
MESSAGE = f"""
select envelope, received_at, message_key, coalesce(raw, message) as message, problem
from bronze.messages
where batch = :lies_in and {AT_PLACE}
"""
REASONS = f"""
select reason
from silver.quarantine
where batch in (:batch, :lies_in) and {AT_PLACE}
"""
REWRITES = """
select cause, rewritten_at
from bronze.rewrites
where batch in (:batch, :lies_in) and (cause = 'expire' or topic = :topic)
order by rewrite
"""
MENTIONS = """
with events as (
    select
        events.*,
        codes.operation,
        codes.class
    from resolve.events as events
    left join settings.operation_codes as codes
        on
            events.envelope = codes.envelope
            and events.operation_code = codes.operation_code
    where
        events.batch in (:batch, :lies_in)
        and events.topic = :topic
        and events.partition = :partition
        and events.offset = :offset
)
select
    events.*,
    facts.source,
    facts.name_id,
    facts.database_name as meant_database,
    facts.table_name as meant_table,
    -- As macros/split_update_id.sql has it.
    array(
        facts.source,
        coalesce(facts.database_name, ''),
        coalesce(events.schema_name, ''),
        coalesce(facts.table_name, ''),
        events.pair_id
    ) as pair_parts,
    md5(if(
        exists(pair_parts, part -> instr(part, chr(1)) > 0),
        to_json(pair_parts),
        concat_ws(chr(1), pair_parts)
    )) as pair
from events
left join resolve.facts as facts on events.mention = facts.mention and facts.marked_unit is null
order by events.row_index
"""
# The two halves of an update may lie in different batches, and in different topics of one source.
CHANGES = """
select *
from resolve.changes
where
    array_contains(:names, name_id)
    and (
        (topic = :topic and (batch in (:batch, :lies_in) or :has_halves))
        or (:has_halves and class = 'change' and array_contains(:pairs, change_id))
    )
    and exists(
        messages, message -> message.partition = :partition and message.offset = :offset
    )
order by row_index
"""
ORIGINALS = """
select change_id, topic, partition, offset
from resolve.changes
where
    class <> 'repeat'
    and array_contains(:names, name_id)
    and array_contains(:changes, change_id)
union all
select event_id, topic, partition, offset
from resolve.placed_statements
where
    not is_repeat
    and array_contains(:changes, event_id)
"""


class Asked:
    """A message that somebody asks about, and the batch that it landed in."""

    def __init__(self, spark: "SparkSession", topic: str, partition: int, offset: int) -> None:
        if not spark.catalog.tableExists("bronze.batches"):
            raise UserError("nothing has landed yet: run onelog land first")
        self.spark = spark
        self.at: dict[str, Any] = {"topic": topic, "partition": partition, "offset": offset}
        found = self.rows(f"""
            select * from ({PLACES})
            where partition = :partition and next_offset > :offset
            order by batch limit 1
        """)
        if not found:
            raise UserError(self.never_landed())
        self.batch: Found = found[0]
        self.at |= {name: self.batch[name] for name in ("batch", "lies_in")}

    def rows(self, query: str, **values: Any) -> list[Found]:
        """The rows of a query on the message's place."""
        return rows_of(self.spark, query, **self.at, **values)

    def message(self) -> Found | None:
        """The message as bronze has it; None where its batch has expired."""
        found = self.rows(MESSAGE)
        if found:
            return found[0]
        if any(rewrite["cause"] == "expire" for rewrite in self.rewrites):
            return None
        raise UserError(self.never_landed())

    @cached_property
    def rewrites(self) -> list[Found]:
        """What changed the batch after it landed."""
        return self.rows(REWRITES)

    def landed_from(self) -> str:
        """The file and the message's number in what landed of it, or another way in."""
        files, ingress = self.batch["files"], self.batch["ingress"]
        if ingress == "kafka":
            partition = re.compile(rf"/{self.at['partition']}(\+\d+)?$")
            files = [file for file in files if partition.search(file["path"])]
        if ingress != "files":
            return listed(file["path"] for file in files)
        behind = self.batch["next_offset"] - self.at["offset"]
        for file in reversed(files):
            if behind <= file["messages"]:
                number = file["messages"] - behind + 1
                return f"{file['path']}, message {number} of the {file['messages']} that landed"
            behind -= file["messages"]
        return listed(file["path"] for file in files)

    def never_landed(self) -> str:
        """That there is no such message, and which ones the topic has."""
        topic, partition, offset = (self.at[part] for part in ("topic", "partition", "offset"))
        partitions = self.rows(f"""
            select partition, min_by(lies_in, batch) as first_batch, max(next_offset) as next_offset
            from ({PLACES})
            group by partition
            having max(next_offset) > 0
            order by partition
        """)
        if not partitions:
            topics = rows_of(
                self.spark,
                "select distinct moved.topic from bronze.batches lateral view explode(offsets) as"
                " moved order by topic",
            )
            names = listed(row["topic"] for row in topics)
            return f"no message of the topic {topic!r} has landed; topics: {names}"
        firsts = self.rows(
            """
            select partition, min(offset) as first
            from bronze.messages
            where topic = :topic and array_contains(:batches, batch)
            group by partition
            """,
            batches=sorted({row["first_batch"] for row in partitions}),
        )
        first = {row["partition"]: row["first"] for row in firsts}
        reaches = listed(
            f"partition {row['partition']} has offsets {first.get(row['partition'], 0)} to "
            f"{row['next_offset'] - 1}"
            for row in partitions
        )
        return f"{topic!r} has no message at partition {partition}, offset {offset}: {reaches}"


def explain(spark: "SparkSession", topic: str, partition: int, offset: int) -> list[Step]:
    """The steps of a message, as far as it has come.

    Raises :class:`UserError` for a message that has not landed; the error says which ones have.
    """
    return list(_steps(Asked(spark, topic, partition, offset)))


def _steps(asked: Asked) -> Iterator[Step]:
    message, events = asked.message(), _events(asked)
    # What has expired had been read: a message without an event never landed.
    if message is None and not events:
        raise UserError(asked.never_landed())
    yield Step("landed", LANDED, [_landed(asked, message)])
    if message:
        yield Step("envelope", ENVELOPE, [_envelope(asked, message)])
    if not events:
        yield Step("not_built_yet", "No dbt run has read the message's batch: run dbt run.", [])
        return
    yield Step("events", EVENTS, [_event(event) for event in events])
    if message and any(event["envelope"] != message["envelope"] for event in events):
        yield Step("moved_since", "The next dbt run reads the message by its new envelope.", [])
    changes, statements = _changes(asked, events), _statements(asked, events)
    if not changes and not statements:
        yield Step("not_resolved_yet", "The last dbt run did not come so far: run dbt run.", [])
        return
    yield Step("logs", LOGS, list(_logs(asked, changes, statements)))
    in_gold = [*_gold(asked.spark, changes), *_acts(asked.spark, statements)]
    if in_gold:
        yield Step("gold", effects.RULE, in_gold)


def _landed(asked: Asked, message: Found | None) -> Found:
    text = "gone: onelog expire deleted it" if message is None else message["message"]
    return {
        "place": place(asked.at),
        "batch": asked.batch["batch"],
        "landed_at": asked.batch["landed_at"],
        "received_at": message and message["received_at"],
        "ingress": asked.batch["ingress"],
        "from": asked.landed_from(),
        "message_key": message and message["message_key"],
        "message": "none: a record without a value" if text is None else text,
        "problem": message and message["problem"],
    }


def _envelope(asked: Asked, message: Found) -> Found:
    registered, envelope = registered_envelopes().get(asked.at["topic"]), message["envelope"]
    moves = [row["rewritten_at"] for row in asked.rewrites if row["cause"] == "reroute"]
    if registered in (None, envelope):
        told_by = "seeds/topics.csv" if registered else "the message's own keys"
    else:
        told_by = f"the landing; seeds/topics.csv names {registered}: onelog reroute moves it"
    return {
        "envelope": envelope,
        "bronze_table": f"bronze.{envelope}",
        "told_by": told_by,
        "topic_moved_at": moves[-1] if moves else None,
    }


def _events(asked: Asked) -> list[Found]:
    """The events of the message; none where no run has read its batch."""
    if not is_built(asked.spark, "resolve.events"):
        return []
    return asked.rows(MENTIONS)


def _event(event: Found) -> Found:
    code = event["operation_code"]
    meaning = event["operation"] or "not a word that seeds/operation_codes.csv knows"
    return {
        "row_index": event["row_index"],
        "operation": code and f"{code}: {meaning}",
        "table_in_message": _dotted(event, "database_name", "schema_name", "table_name"),
        "source": event["source"],
        "table_meant": _dotted(event, "meant_database", "schema_name", "meant_table"),
        "key_columns_in_message": event["key_columns"],
        "row_id": event["row_id"],
        "before": event["before"] or event["before_values"],
        "after": event["after"] or event["after_values"],
        "image": _image(event),
        "statement": event["statement"],
        "event_time": event["event_time"],
        "unique_id": event["unique_id"],
        "rejected": event["rejection"],
    }


def _image(event: Found) -> str | None:
    if event["image"] != "both":
        return f"the {event['image']} half of a split update"
    return "partial: other columns were not sent" if event["is_partial"] else None


def _dotted(found: Found, *names: str) -> str | None:
    return ".".join(found[name] for name in names if found[name]) or None


def _changes(asked: Asked, events: list[Found]) -> list[Found]:
    """The message's rows of resolve.changes; those of a pair stand at its other half, too."""
    names = sorted({event["name_id"] for event in events} - {None})
    pairs = sorted({event["pair"] for event in events if event["pair_id"] is not None})
    # No array of SQL is empty and of texts.
    values = {"names": names, "pairs": pairs or [""], "has_halves": bool(pairs)}
    return asked.rows(CHANGES, **values) if names else []


def _statements(asked: Asked, events: list[Found]) -> list[Found]:
    if not any(event["class"] == "ddl" for event in events):
        return []
    return asked.rows(f"select * from resolve.placed_statements where {AT_PLACE}")


def _logs(asked: Asked, changes: list[Found], statements: list[Found]) -> Iterator[Found]:
    repeats = [change["change_id"] for change in changes if change["class"] == "repeat"]
    repeats += [item["event_id"] for item in statements if item["is_repeat"]]
    names = sorted({change["name_id"] for change in changes})
    found = rows_of(asked.spark, ORIGINALS, names=names or [""], changes=repeats) if repeats else []
    originals = {original["change_id"]: place(original) for original in found}
    origins = effects.key_origins(asked.spark, names) if names else {}
    for change in changes:
        yield _in_log(asked, change, originals, origins)
    for item in statements:
        if item["is_repeat"]:
            yield _repeat(item["event_id"], originals)
        else:
            yield from _statement(asked)


def _in_log(
    asked: Asked, change: Found, originals: dict[str, str], origins: dict[str, str]
) -> Found:
    kind = change["class"]
    if kind == "repeat":
        return _repeat(change["change_id"], originals)
    if kind == "rejected":
        reasons = [row["reason"] for row in asked.rows(REASONS)] or [change["reason"]]
        return {"log": "silver.quarantine", "row_index": change["row_index"], "reason": reasons[0]}
    about = {"event_at": change["event_at"], "transaction_id": change["transaction_id"]}
    if kind == "control":
        return {"log": "silver.control_log", "kind": change["operation"], **about}
    return {
        "log": "silver.change_log",
        "change_id": change["change_id"],
        "row_index": change["row_index"],
        "operation": change["operation"],
        "table": _dotted(change, "database_name", "schema_name", "table_name"),
        "table_id": change["table_id"],
        "key": change["key"],
        "previous_key": change["previous_key"],
        "key_columns": effects.key_in_words(
            change["table_key_columns"], change["key"], origins.get(change["name_id"])
        ),
        "made_of": [place(_with_topic(asked, change, message)) for message in change["messages"]],
        "waits": WAITS.get(change["image"]),
        **about,
        "position": in_words(change["log_position"], change["topic"]),
        "log_position": change["log_position"],
        "line": change["line"],
    }


def _with_topic(asked: Asked, change: Found, message: Found) -> Found:
    """One of a change's messages with its topic: that of the change, or of the half asked about."""
    is_asked = all(message[part] == asked.at[part] for part in ("partition", "offset"))
    return message | {"topic": asked.at["topic"] if is_asked else change["topic"]}


def _repeat(change_id: str, originals: dict[str, str]) -> Found:
    return {
        "log": "silver.repeats",
        "change_id": change_id,
        "repeats": originals.get(change_id),
        "why": "the source's id and the content are those of that earlier message",
    }


def _statement(asked: Asked) -> Iterator[Found]:
    for found in asked.rows(f"select * from silver.ddl_log where {AT_PLACE}"):
        yield {
            "log": "silver.ddl_log",
            "kind": found["kind"],
            "statement": found["statement"],
            "tables": found["tables"] or None,
            "column_changes": found["column_changes"] or None,
            "parse_error": found["parse_error"],
            "event_at": found["event_at"],
            "position": in_words(found["log_position"], found["topic"]),
            "log_position": found["log_position"],
        }


def _gold(spark: "SparkSession", changes: list[Found]) -> Iterator[Found]:
    """What the message's changes did to each row that they touch."""
    positions: dict[str, set[str]] = {}
    for change in changes:
        # Without its other half, the before image of an update touches no row.
        if change["class"] == "change" and (
            change["after"] is not None or change["operation"] == "delete"
        ):
            at = {change["log_position"], change["previous_key_position"]} - {None}
            positions.setdefault(change["table_id"], set()).update(at)
    for table_id, own in positions.items():
        yield from _rows_of_gold(spark, table_id, own)


def _rows_of_gold(spark: "SparkSession", table_id: str, own: set[str]) -> Iterator[Found]:
    found = effects.effects_on(spark, table_id, positions=own)
    ids = {effect["state_id"] for effect in found}
    states = effects.states_of(spark, table_id, ids) if ids else {}
    if ids - states.keys() or not ids:
        yield {"row": "not there yet: the last dbt run did not come so far, run dbt run"}
        return
    above = set().union(*map(effects.positions_that_count, states.values())) - own
    if above:
        found += effects.effects_on(spark, table_id, ids, above)
    is_ended = any(effect["floor_position"] for effect in found)
    statements = effects.statements_on(spark, table_id=table_id) if is_ended else []
    known = effects.Known.of(found, statements)
    for effect in found:
        if effect["position"] in own:
            state = states[effect["state_id"]]
            of_state = [other for other in found if other["state_id"] == state["state_id"]]
            yield {
                "table": effect["table"],
                "key": effect["key"],
                "does": effects.done(effect),
                "counts": effects.counts(effect, state, known),
                **effects.row_now(state, of_state, known),
                "state_id": state["state_id"],
            }


def _acts(spark: "SparkSession", statements: list[Found]) -> Iterator[Found]:
    """What the message's statement did to the rows of tables."""
    for item in statements:
        if not item["is_repeat"]:
            yield from effects.statements_on(spark, position=item["log_position"])
