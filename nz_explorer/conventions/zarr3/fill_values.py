"""Z3: fill values of Zarr v3.1 are values of the array's type (Fill value list)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from nz_explorer.conventions.zarr3.nodes import V3, set_to
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, Safety, add
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.fill_values import MISSING as NO_SUGGESTION
from nz_explorer.model.fill_values import decode_storage_fill

FILL_RULES = {
    "bool": "Z3-FV-002",
    "int": "Z3-FV-003",
    "uint": "Z3-FV-003",
    "float": "Z3-FV-004",
    "complex": "Z3-FV-005",
}


FILL_SAFETY: dict[str, Safety] = {"Z3-FV-002": "safe", "Z3-FV-005": "unsafe"}
"""How safe fixes are of rules where that does not depend on the value: 0 and 1 can only mean one thing."""


def declared_missing(node: Node) -> Draft | None:
    """Return the fix that takes what an array declares as missing for its fill_value; None where it declares no value of its type.

    Parameters
    ----------
    node : Node
        The array, which has no fill_value.
    """
    declared = node.nz_fill if isinstance(node, Array) else None
    if declared is None or not declared.usable or declared.problems:
        return None
    operation = add("/fill_value", node.attributes["_FillValue"])  # in place of null, too
    return Draft("suggest", (operation,), "chunks that were not written are missing then")


@rule("Z3-FV-001", on="array", formats=V3, needs=("data type",))
def fill_present(array: Array) -> Iterator[Fail]:
    """Require a value where a core type has null. An absent member is Z3-DOC-003."""
    if array.metadata.get("fill_value", 0) is None and array.data_type.status == "core":
        kind = array.data_type.kind
        raw = [0] * (array.data_type.itemsize or 0)
        zero: Any = {"bool": False, "float": "NaN", "complex": [0, 0], "raw": raw}.get(kind, 0)
        note = (
            "null may have been written in place of NaN" if kind in ("float", "complex") else None
        )
        yield Fail(
            "/fill_value",
            f"fill_value of {array.data_type.text} must be a value, got null",
            readers={} if kind == "bool" else None,  # Python takes None for false
            fix=lambda node: (
                declared_missing(node) or set_to("/fill_value", zero, "suggest", note)(node)
            ),
        )


_TURNED = dict.fromkeys(
    ("zarr-python", "xarray"),
    "takes the text for true, and fills chunks that are not stored with it",
)


def _wrong_fill(array: Array, rule_id: str, wanted: str) -> Iterator[Fail]:
    """Fail where the decoder could not make a value of the array's type of ``fill_value``."""
    if FILL_RULES.get(array.data_type.kind) != rule_id or array.storage_fill is None:
        return
    for problem in array.storage_fill.problems:
        if problem.kind == "rounding" or (problem.kind == "spelling" and rule_id == "Z3-FV-004"):
            continue  # understood, and legal
        pair = isinstance(array.metadata.get("fill_value"), list)
        if problem.kind == "range" and (
            rule_id == "Z3-FV-004" or (rule_id == "Z3-FV-005" and pair)
        ):
            yield _rounded_to_infinity(array, problem.why)
            return
        known = problem.suggestion is not NO_SUGGESTION
        safety = FILL_SAFETY.get(rule_id, problem.safety)
        given = array.metadata.get("fill_value")
        # Python takes every text that is not empty for true, also "false"
        turned = rule_id == "Z3-FV-002" and isinstance(given, str) and problem.suggestion is False
        yield Fail(
            "/fill_value",
            f"fill_value of {array.data_type.text} must be {wanted}: {problem.why.removesuffix(' and can never match')}",
            impact="values"
            if turned
            else "blocks"
            if rule_id == "Z3-FV-002" and given == []
            else None,
            readers=_TURNED if turned else _readers(array, problem.kind, rule_id),
            fix=set_to("/fill_value", problem.suggestion, "suggest" if turned else safety)
            if known
            else None,
        )
        return


def _rounded_to_infinity(array: Array, why: str) -> Fail:
    """Note what Zarr rounds to infinity, as it is beyond the largest float: legal, and hardly meant."""
    parts = array.metadata.get("fill_value")
    spelled = [_spelled(part, array) for part in (parts if isinstance(parts, list) else [parts])]
    return Fail(
        "/fill_value",
        f"fill_value {why.removesuffix(' and can never match')}, so it is rounded to infinity",
        severity="info",
        impact="advice",
        readers={},  # they do as the text says
        fix=set_to(
            "/fill_value",
            spelled if isinstance(parts, list) else spelled[0],
            "unsafe" if isinstance(parts, list) else "suggest",
            "this is what it is read as; another value may have been meant",
        ),
    )


def _spelled(part: Any, array: Array) -> Any:
    """Return a part of a fill value, as an infinity where the type holds nothing that large."""
    dtype = array.data_type.numpy
    if (
        not isinstance(part, int | float)
        or dtype is None
        or abs(part) <= float(np.finfo(dtype).max)
    ):
        return part
    return "Infinity" if part > 0 else "-Infinity"


def _readers(array: Array, kind: str, rule_id: str) -> dict[str, str] | None:
    """Return what readers do with a wrong value, where the rule's entry does not say it."""
    given = array.metadata.get("fill_value")
    if rule_id == "Z3-FV-002" and given == []:
        return dict.fromkeys(("zarr-python", "xarray"), "raises ValueError when values are read")
    if kind == "range" or not _is_taken(given, rule_id):
        return None
    if rule_id == "Z3-FV-003" and isinstance(given, str):
        return None if decode_storage_fill(int(given), array.data_type, 3).problems else {}
    return {}


_BITS = re.compile("0x(?:[0-9a-fA-F]{4}){1,2}|0x[0-9a-fA-F]{16}")
"""What zarr-python takes for bits, whatever the size of the type."""
_PART = re.compile(f"NaN|-?Infinity|{_BITS.pattern}")
"""What it takes for a part of a complex number."""


def _is_taken(given: Any, rule_id: str) -> bool:
    """Whether zarr-python makes a number of it all the same."""
    if rule_id == "Z3-FV-003" and isinstance(given, str | float | bool):
        try:
            return int(given) == float(given)
        except (ValueError, OverflowError):
            return False
    if rule_id == "Z3-FV-004" and isinstance(given, str | bool):
        if isinstance(given, str) and given.startswith("0x"):
            return _BITS.fullmatch(given) is not None
        try:
            float(given)
        except ValueError:
            return False
        return True
    if rule_id == "Z3-FV-005" and isinstance(given, list) and len(given) == 2:
        return all(isinstance(part, int | float) or _PART.fullmatch(str(part)) for part in given)
    return False


@rule("Z3-FV-002", on="array", formats=V3, needs=("data type",))
def fill_bool(array: Array) -> Iterator[Fail]:
    """Require true or false."""
    yield from _wrong_fill(array, "Z3-FV-002", "true or false")


@rule("Z3-FV-003", on="array", formats=V3, needs=("data type",))
def fill_integer(array: Array) -> Iterator[Fail]:
    """Require an integer within the range of the type, written without a fraction."""
    yield from _wrong_fill(array, "Z3-FV-003", "an integer in range")


@rule("Z3-FV-004", on="array", formats=V3, needs=("data type",))
def fill_float(array: Array) -> Iterator[Fail]:
    """Require a number, "NaN", an infinity, or the bits in hexadecimal."""
    yield from _wrong_fill(
        array, "Z3-FV-004", 'a number, "NaN", "Infinity", "-Infinity" or its bits in hexadecimal'
    )


@rule("Z3-FV-005", on="array", formats=V3, needs=("data type",))
def fill_complex(array: Array) -> Iterator[Fail]:
    """Require a pair of numbers."""
    yield from _wrong_fill(array, "Z3-FV-005", "a pair [re, im]")
