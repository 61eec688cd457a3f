"""NZ: _FillValue is one value of the array's own type (NZ-1.0, Array Attributes)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.model.fill import MISSING, FillProblem
from nz_explorer.rules.findings import Fail, FixMaker, Undecided
from nz_explorer.rules.fixes import Draft, set_attribute
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

XARRAY = (
    "xarray (up to 2026.9) reads only its own form and cannot open the group of an array with the plain value;"
    " every other reader needs the plain value"
)


def _has_fill(array: Array) -> bool:
    return "_FillValue" in array.attributes


def _problems(array: Array, *kinds: str) -> Iterator[Fail | Undecided]:
    """Fail for each problem of some kinds that the decoder found."""
    fill, data_type = array.fill, array.data_type
    if data_type.numpy is None or fill is None:
        yield Undecided(f"unsupported: data type {data_type.text}")
        return
    for problem in fill.problems:
        if problem.kind in kinds:
            wrong = f" is not a {data_type.name} value:" if problem.kind == "type" else ""
            yield Fail(
                array.attribute_pointer("_FillValue"),
                f"_FillValue{wrong} {problem.why}",
                fix=_correct(problem),
            )


def _correct(problem: FillProblem) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        if problem.suggestion is MISSING:
            return None
        return Draft(
            problem.safety,
            set_attribute(node, "_FillValue", problem.suggestion),
            XARRAY if problem.kind == "dialect" else None,
        )

    return fix


@rule("NZ-FILL-002", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_type(array: Array) -> Iterator[Fail | Undecided]:
    """Want a value of the array's data type."""
    yield from _problems(array, "type")


@rule("NZ-FILL-003", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_range(array: Array) -> Iterator[Fail | Undecided]:
    """Fail on a value that the data type cannot hold: it never matches anything."""
    yield from _problems(array, "range")


@rule("NZ-FILL-004", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_scalar(array: Array) -> Iterator[Fail | Undecided]:
    """Want one value, not a list, an object or null. A complex value is a pair."""
    yield from _problems(array, "list")


@rule("NZ-FILL-005", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_dialect(array: Array) -> Iterator[Fail | Undecided]:
    """Warn of the form that only xarray understands."""
    yield from _problems(array, "dialect")


@rule("NZ-FILL-009", on="array", needs=("attributes", "data type"), reads="fill", when=_has_fill)
def fill_spelling(array: Array) -> Iterator[Fail | Undecided]:
    """Note a value that is understood, but is not exactly what is written."""
    yield from _problems(array, "rounding", "spelling")
