"""CF: packed values can be unpacked (CF-1.11, 8.1 Packed Data)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, move, set_attribute
from nz_explorer.engine.memo_keys import PACKING
from nz_explorer.engine.registry import rule
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node


def _is_packed(array: Array) -> bool:
    return any(name in array.attributes for name in PACKING)


@rule("CF-PACK-001", on="array", needs=("attributes",), when=_is_packed)
def numbers(array: Array) -> Iterator[Fail]:
    """Require numbers to multiply with and to add; xarray takes a list of one for its number, and null for nothing."""
    for name in PACKING:
        given = array.attributes.get(name)
        value = given[0] if isinstance(given, list) and len(given) == 1 else given
        if value is None or _is_number(value):
            continue
        yield Fail(
            array.attribute_pointer(name),
            f"{name} {shown(given)} is not a number, so the values cannot be unpacked",
            fix=_set_aside if _number(value) is None else _as_number(name),
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float | None:
    """Return the number that a text holds."""
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _as_number(name: str) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        given = node.attributes.get(name)
        number = _number(given[0] if isinstance(given, list) and given else given)
        if number is None:
            return None
        return Draft("unsafe", set_attribute(node, name, number), "values are unpacked afterwards")

    return fix


def _set_aside(node: Node) -> Draft:
    """Return the fix that lets readers show what is stored, and keeps what packing was meant to be."""
    names = [name for name in PACKING if name in node.attributes]
    operations = tuple(
        move(node.attribute_pointer(name), node.attribute_pointer(f"unused_{name}"))
        for name in names
    )
    kept = listed(f"unused_{name}" for name in names)
    return Draft("suggest", operations, f"readers show packed values then; kept as {kept}")
