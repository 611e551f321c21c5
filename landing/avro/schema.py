"""Rewrites the schema of an Avro file so that fastavro gives each value as JSON shows it.

Every value with a form of its own (``landing.avro.values``) gets a logical type of ours. All that
fastavro would check and the values do not need is left out: defaults, and logical types that are
not quite right, which Avro's specification says to ignore.
"""

from typing import Any, NamedTuple

from fastavro.read import LOGICAL_READERS

from landing.avro.values import FORMS, RECORD_FORMS, Form

# fastavro recurses in C without a bound of its own, a level of the schema a call.
MAX_DEPTH = 100
# The most digits that PostgreSQL has after the point.
MAX_SCALE = 16_383
# A record without fields takes no byte: types that name one another make 2**n of them from nothing.
MAX_WITHOUT_BYTE = 1_000
# An item of an array or a map may take a single byte, and be there a million times in a kilobyte of
# a compressed file.
MAX_WITHOUT_BYTE_IN_ITEM = 1
# A field's name or an enum's symbol is repeated as often; no database has longer ones.
MAX_NAME = 255
PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
KEPT = ("type", "name", "namespace", "size", "symbols")

Schema = str | dict[str, Any] | list[Any]


class Rewritten(NamedTuple):
    """A schema as fastavro gets it, and what is known of each of its values.

    How deep it nests, whether it takes any bytes, and how many values in it take none.
    """

    schema: Schema
    depth: int = 0
    takes_bytes: bool = True
    without_byte: int = 0


class SchemaRewriter:
    """Rewrites one schema, and tells what else its reader must know.

    ``is_recursive``: a type contains itself; ``holds_nothing``: its records take no bytes at all.
    """

    def __init__(self) -> None:
        self.holds_nothing = False
        # By full name; None while the type's own fields are being read.
        self._named: dict[str, Rewritten | None] = {}
        self._in_themselves: set[str] = set()
        self._namespace = ""

    @property
    def is_recursive(self) -> bool:
        """True where a type contains itself; also where one has no definition."""
        return bool(self._in_themselves)

    def rewrite(self, schema: Schema) -> Schema:
        """The rewritten schema of a file; :class:`ValueError` for one that only a trap has."""
        rewritten = self._rewrite(schema)
        self.holds_nothing = not rewritten.takes_bytes
        return rewritten.schema

    def _rewrite(self, schema: Schema) -> Rewritten:
        if isinstance(schema, str):
            rewritten = self._reference(schema)
        elif isinstance(schema, list):
            branches = [self._rewrite(branch) for branch in schema]
            # One of them is in the byte that tells the branch.
            without_byte = max((branch.without_byte for branch in branches), default=0) - 1
            rewritten = Rewritten(
                [branch.schema for branch in branches],
                _deepest(branches),
                without_byte=max(without_byte, 0),
            )
        elif not isinstance(schema["type"], str):
            rewritten = self._rewrite(schema["type"])
        else:
            rewritten = self._definition(schema)
        if rewritten.depth > MAX_DEPTH:
            raise ValueError(f"its schema nests deeper than {MAX_DEPTH} levels")
        if rewritten.without_byte > MAX_WITHOUT_BYTE:
            raise ValueError(f"its schema makes more than {MAX_WITHOUT_BYTE} values without a byte")
        return rewritten

    def _reference(self, name: str) -> Rewritten:
        """A primitive type, or one that was defined before."""
        if name in FORMS:
            return Rewritten(_with_form({"type": name}, name, FORMS[name]))
        if name in PRIMITIVES:
            return Rewritten(name, takes_bytes=name != "null", without_byte=int(name == "null"))
        # fastavro refuses a name without a definition, and one with two.
        full_name = _full_name(name, self._namespace)
        known = self._named.get(full_name)
        if known is None:
            self._in_themselves.add(full_name)
        return known._replace(schema=name) if known else Rewritten(name)

    def _definition(self, schema: dict[str, Any]) -> Rewritten:
        kept = {key: schema[key] for key in KEPT if key in schema}
        match schema["type"]:
            case "record" | "error":
                return self._record(schema, kept)
            case "array":
                items = self._rewrite(schema["items"])
                if not items.takes_bytes:
                    raise ValueError("the items of an array hold nothing")
                return _collection(kept, "items", items)
            case "map":
                return _collection(kept, "values", self._rewrite(schema["values"]))
        return self._leaf(schema, kept)

    def _record(self, schema: dict[str, Any], kept: dict[str, Any]) -> Rewritten:
        names = [field["name"] for field in schema["fields"]]
        _check_names(names)
        form = RECORD_FORMS.get((_simple(schema["name"]), frozenset(names)))
        full_name, outer = self._full_name(schema), self._namespace
        self._named[full_name], self._namespace = None, full_name.rpartition(".")[0]
        types = [
            self._rewrite(_plain(field) if form else _typed(field)) for field in schema["fields"]
        ]
        self._namespace = outer
        fields = zip(names, (type_.schema for type_ in types), strict=True)
        kept["fields"] = [{"name": name, "type": type_} for name, type_ in fields]
        if form:
            kept = _with_form(kept, _simple(schema["name"]), form)
        takes_bytes = any(type_.takes_bytes for type_ in types)
        without_byte = sum(type_.without_byte for type_ in types) + (not takes_bytes)
        rewritten = Rewritten(kept, _deepest(types), takes_bytes, without_byte)
        if full_name in self._in_themselves:
            _check_item(rewritten)
        self._named[full_name] = rewritten
        return rewritten

    def _leaf(self, schema: dict[str, Any], kept: dict[str, Any]) -> Rewritten:
        kind = schema["type"]
        logical = f"{kind}-{schema.get('logicalType')}"
        if logical in FORMS and _is_sound(schema):
            kept |= {"scale": schema.get("scale", 0)}
            kept = _with_form(kept, logical, FORMS[logical])
        elif kind not in ("enum", "fixed"):
            return self._reference(kind)
        _check_names(schema.get("symbols", []))
        takes_bytes = kind != "fixed" or schema["size"] > 0
        rewritten = Rewritten(kept, takes_bytes=takes_bytes, without_byte=int(not takes_bytes))
        if kind in ("enum", "fixed"):
            self._named[self._full_name(schema)] = rewritten
        return rewritten

    def _full_name(self, schema: dict[str, Any]) -> str:
        return _full_name(schema["name"], schema.get("namespace", self._namespace))


def _collection(kept: dict[str, Any], inner: str, of: Rewritten) -> Rewritten:
    """An array or a map of a type, which its schema names at ``inner``."""
    _check_item(of)
    return Rewritten(kept | {inner: of.schema}, of.depth + 1, without_byte=of.without_byte)


def _check_item(item: Rewritten) -> None:
    """Raise :class:`ValueError` for what comes again and again, and makes values from nothing."""
    if item.without_byte > MAX_WITHOUT_BYTE_IN_ITEM:
        raise ValueError("an item of an array or a map makes several values without a byte")


def _check_names(names: list[str]) -> None:
    """Raise :class:`ValueError` for names of fields, or symbols, that only a trap has."""
    if max(map(len, names), default=0) > MAX_NAME:
        raise ValueError(f"its schema has a name of more than {MAX_NAME} characters")


def _deepest(parts: list[Rewritten]) -> int:
    return 1 + max((part.depth for part in parts), default=0)


def _full_name(name: str, namespace: str | None) -> str:
    """Avro: a name without a dot is in the namespace that it stands in, if there is one."""
    return f"{namespace}.{name}" if namespace and "." not in name else name


def _simple(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _typed(field: dict[str, Any]) -> Schema:
    """A field's type. Datastream also writes logical types beside it, where Avro looks for none."""
    return field if isinstance(field["type"], str) and "logicalType" in field else field["type"]


def _plain(field: dict[str, Any]) -> Schema:
    """The type of a field of Datastream's own records, whose numbers their form reads."""
    kind = field["type"]
    branches = kind if isinstance(kind, list) else [kind]
    plain = [branch["type"] if isinstance(branch, dict) else branch for branch in branches]
    return plain if isinstance(kind, list) else plain[0]


def _is_sound(schema: dict[str, Any]) -> bool:
    """Avro: "If a logical type is invalid … implementations should ignore the logical type"."""
    scale, size = schema.get("scale", 0), schema.get("size")
    match schema["logicalType"]:
        case "decimal":
            return isinstance(scale, int) and 0 <= scale <= MAX_SCALE
        case "uuid" | "duration":
            return schema["type"] != "fixed" or size == {"uuid": 16, "duration": 12}.get(
                schema["logicalType"]
            )
    return True


def _with_form(schema: dict[str, Any], name: str, form: Form) -> dict[str, Any]:
    """The schema with a logical type of ours, whose reader is ``form``."""
    logical_type = f"onelog-{name}"
    LOGICAL_READERS[f"{schema['type']}-{logical_type}"] = _reader(form)
    return schema | {"logicalType": logical_type}


def _reader(form: Form) -> Any:
    # fastavro also says the schema to read by; there is none but the file's own.
    return lambda value, written_schema, _=None: form(value, written_schema)
