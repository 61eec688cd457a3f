"""What an array is for: a coordinate, auxiliary to others, a scalar, or data – and why.

NZ-1.0 defines dimension coordinates and scalars. It has no attribute that ties other arrays together; there
the attributes of CF are read where arrays use them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from nz_explorer.model.dimensions import is_candidate
from nz_explorer.model.node import Array

Role = Literal["coordinate", "candidate", "auxiliary", "scalar", "data"]
Direction = Literal["increasing", "decreasing"]

CF_REFERENCES = (
    "coordinates",
    "bounds",
    "grid_mapping",
    "ancillary_variables",
    "cell_measures",
    "formula_terms",
    "climatology",
)
"""CF attributes whose words name other arrays of the group."""


class MonotonicResult(Protocol):
    """What classification needs to know of an array's values."""

    @property
    def verdict(self) -> str:
        """``increasing``, ``decreasing``, ``trivial``, ``not``, ``missing``, ``unordered``, ``unreadable`` or ``budget``."""

    @property
    def note(self) -> str:
        """The verdict in a sentence."""


@dataclass(frozen=True, slots=True)
class RoleTest:
    """A question on the way to a role, and its answer; None where it is not known."""

    test: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class RoleResult:
    """The role of an array and the tests that led there."""

    role: Role
    tests: tuple[RoleTest, ...]
    direction: Direction | None = None


def references(arrays: Iterable[Array]) -> dict[str, list[tuple[str, str]]]:
    """Return who is named by whom: name → (attribute, name of the array that has it)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for array in arrays:
        attributes = array.attributes
        for key in CF_REFERENCES:
            value = attributes.get(key)
            if isinstance(value, str):
                for word in value.split():
                    name = word.rsplit("/", 1)[-1]
                    if not word.endswith(":") and name != array.name:
                        found.setdefault(name, []).append((key, array.name))
    return found


def classify(
    array: Array,
    monotonic: MonotonicResult | None = None,
    named_by: Iterable[tuple[str, str]] = (),
) -> RoleResult:
    """Say what an array is, test by test.

    Parameters
    ----------
    array : Array
        The array.
    monotonic : Monotonicity, optional
        The result for its values, None where they were not read.
    named_by : iterable of (attribute, array)
        Who refers to it, from `references`.
    """
    if array.ndim == 0:
        return RoleResult("scalar", (RoleTest("has no dimensions", True, "its shape is []"),))
    tests: list[RoleTest] = []
    names = array.dimension_names
    one = array.ndim == 1
    count = "an unknown number of" if array.ndim is None else str(array.ndim)
    tests.append(
        RoleTest("has exactly one dimension", one, f"it has {count} dimension{'s' * (not one)}")
    )
    same = is_candidate(array)
    if names is None:
        detail = "its dimensions have no names"
    else:
        shown = ", ".join("(no name)" if name is None else name for name in names)
        detail = f"it is called {array.name}, its dimension{'s are' if len(names) != 1 else ' is'} called {shown}"
    tests.append(RoleTest("is named like its dimension", same, detail))
    if one and same:
        role, direction = _by_values(monotonic, tests)
        if role is not None:
            return RoleResult(role, tuple(tests), direction)
    else:
        tests.append(
            RoleTest("values strictly monotonic", None, "not asked: an earlier test failed")
        )
    users = list(named_by)
    if users:
        shown = "; ".join(f"{attribute} of {name}" for attribute, name in users[:5])
        tests.append(RoleTest("is named by another array (CF)", True, shown))
        return RoleResult("auxiliary", tuple(tests))
    tests.append(
        RoleTest("is named by another array (CF)", False, "no array of the group names it")
    )
    return RoleResult("data", tuple(tests))


def _by_values(
    monotonic: MonotonicResult | None, tests: list[RoleTest]
) -> tuple[Role | None, Direction | None]:
    question = "values strictly monotonic"
    if monotonic is None:
        tests.append(RoleTest(question, None, "its values have not been read yet"))
        return "candidate", None
    verdict = monotonic.verdict
    if verdict in ("increasing", "decreasing", "trivial"):
        tests.append(RoleTest(question, True, monotonic.note))
        direction: Direction | None = (
            "increasing"
            if verdict == "increasing"
            else "decreasing"
            if verdict == "decreasing"
            else None
        )
        return "coordinate", direction
    known = verdict in ("not", "missing")
    tests.append(RoleTest(question, False if known else None, monotonic.note))
    return (None if known else "candidate"), None
