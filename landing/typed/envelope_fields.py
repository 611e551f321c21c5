"""Which fields of an envelope must be objects or arrays, read from its declared Spark type."""

from collections.abc import Iterator

from sqlglot import exp

OBJECT, ARRAY = "an object", "an array"
_NESTED = {"MAP": OBJECT, "STRUCT": OBJECT, "ARRAY": ARRAY}


def nested_fields(data_type: str) -> list[tuple[str, str, str | None]]:
    """Path, type and items' type of each field that is no text, the outer ones first.

    ``struct<data: array<map<string,string>>>`` gives ``("$.data", "an array", "an object")``. What
    lies inside an array's items is left out: a JSON path does not lead there.
    """
    return list(_nested("$", exp.DataType.build(data_type, dialect="spark")))


def _nested(path: str, declared: exp.DataType) -> Iterator[tuple[str, str, str | None]]:
    if declared.this != exp.DataType.Type.STRUCT:
        return
    for field in declared.expressions:
        inside, kind = f"{path}.{field.name}", _kind(field.kind)
        if kind:
            items = field.kind.expressions[0] if kind == ARRAY else None
            yield inside, kind, items and _kind(items)
            yield from _nested(inside, field.kind)


def _kind(declared: exp.DataType) -> str | None:
    return _NESTED.get(declared.this.name)
