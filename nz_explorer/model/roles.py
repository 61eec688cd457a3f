"""What an array is for: a coordinate, auxiliary to others, a scalar, or data – and why.

NZ-1.0 defines dimension coordinates and scalars. It has no attribute that ties other arrays together; there
the attributes of CF are read where arrays use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from nz_explorer.model.array import Array
from nz_explorer.model.dialects.ref import paths_of_arrays
from nz_explorer.model.dimensions import is_candidate
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.model.group import Group
    from nz_explorer.model.node import Node

Role = Literal["coordinate", "candidate", "auxiliary", "overview", "scalar", "data"]
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

HOLDERS = ("grid_mapping_name", "crs_wkt", "spatial_ref", "GeoTransform", "geometry_type")
"""Attributes of a scalar that is there to hold them: a grid mapping of CF, or a container of geometries."""
TOPOLOGIES = ("mesh_topology", "grid_topology")
"""What cf_role says of a scalar that holds the description of a mesh (UGRID) or of a staggered grid (SGRID)."""

ASKED_OF_VALUES = (
    ("its values have an order", "NZ-COORD-004"),
    ("none of them is missing", "NZ-COORD-003"),
    ("they all rise, or they all fall", "NZ-COORD-002"),
)
"""What is asked of the values of an array that is named like its dimension, and the rule it is from."""

_DIRECTIONS: dict[str, Direction] = {"increasing": "increasing", "decreasing": "decreasing"}


class MonotonicResult(Protocol):
    """What classification needs to know of an array's values."""

    @property
    def result(self) -> str:
        """``increasing``, ``decreasing``, ``trivial``, ``not``, ``missing``, ``unordered``, ``unreadable`` or ``budget``."""

    @property
    def note(self) -> str:
        """The result in a sentence."""

    @property
    def first(self) -> Any:
        """The first value, None where it was not read."""

    @property
    def last(self) -> Any:
        """The last value, None where it was not read."""


@dataclass(frozen=True, slots=True)
class RoleTest:
    """A question on the way to a role, and its answer.

    Attributes
    ----------
    test : str
        What is asked.
    passed : bool or None
        The answer; None where it is not known, or was not asked.
    detail : str
        What the answer was found from: the array's own names and values.
    rule : str
        The rule whose section of the convention the question is from.
    """

    test: str
    passed: bool | None
    detail: str
    rule: str


@dataclass(frozen=True, slots=True)
class RoleResult:
    """The role of an array and the tests that led there."""

    role: Role
    tests: tuple[RoleTest, ...]
    direction: Direction | None = None


def is_container(array: Array) -> bool:
    """Return whether an array is there for its attributes, and its single value means nothing.

    netCDF leaves its default there, and converters a zero, as nobody writes that value.

    Parameters
    ----------
    array : Array
        Any array.
    """
    attributes = array.attributes
    return array.shape in ((), (1,)) and (
        not attributes.keys().isdisjoint(HOLDERS) or attributes.get("cf_role") in TOPOLOGIES
    )


def names_in(array: Array, attribute: str) -> list[str]:
    """Return the names of arrays in an attribute, without the words that say what they are.

    Parameters
    ----------
    array : Array
        The array with the attribute.
    attribute : str
        Name of the attribute, one of `CF_REFERENCES`.
    """
    given = array.attributes.get(attribute)
    words = given.split() if isinstance(given, str) else []
    if attribute == "grid_mapping":  # also in the extended form "crs: x y"
        return [word.removesuffix(":") for word in words]
    return [word for word in words if not word.endswith(":")]


def references(
    arrays: Iterable[Array], group: Group | None = None
) -> dict[str, list[tuple[str, str]]]:
    """Return who is named by whom: name → (attribute, name of the array that has it).

    Parameters
    ----------
    arrays : iterable of Array
        Those of one group.
    group : Group, optional
        The group, whose reference systems (cs) may refer to arrays in it.
    """
    arrays = list(arrays)
    found: dict[str, list[tuple[str, str]]] = {}
    shared: list[tuple[str, Node]] = [] if group is None else [("crs", group)]
    for key, node in [*shared, *(("cs", array) for array in arrays)]:
        home = node.path if node is group else node.parent
        for path in dict.fromkeys(paths_of_arrays(node.attributes.get(key), node)):
            name = path.rsplit("/", 1)[-1]
            if path != node.path and path == below(home or "/") + name:
                found.setdefault(name, []).append((key, node.name or node.path))
    for array in arrays:
        for key in CF_REFERENCES:
            for word in names_in(array, key):
                name = word.rsplit("/", 1)[-1]
                if name != array.name:
                    found.setdefault(name, []).append((key, array.name))
    return found


def classify(
    array: Array,
    monotonic: MonotonicResult | None = None,
    named_by: Iterable[tuple[str, str]] = (),
) -> RoleResult:
    """Classify an array, test by test.

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
        return RoleResult("scalar", tuple(_scalar(array)))
    tests = list(_by_metadata(array))
    if all(test.passed for test in tests):
        tests += _by_values(array, monotonic)
        *_, last = tests
        if last.passed:
            return RoleResult("coordinate", tuple(tests), _direction(monotonic))
        if not any(test.passed is False for test in tests):
            return RoleResult("candidate", tuple(tests))
    else:
        why = "not applied: an earlier test failed"
        tests += [RoleTest(test, None, why, rule) for test, rule in ASKED_OF_VALUES]
    users = list(named_by)
    shown = "; ".join(f"{attribute} of {name}" for attribute, name in users[:5])
    detail = shown or f"no array of its group names {array.name}"
    by = "cs" if {attribute for attribute, _ in users} & {"cs", "crs"} else "CF"
    tests.append(RoleTest(f"another array names it ({by})", bool(users), detail, "NZ-AUX-001"))
    return RoleResult("auxiliary" if users else "data", tuple(tests))


def _scalar(array: Array) -> Iterator[RoleTest]:
    yield RoleTest("has no dimensions", True, "shape []", "NZ-SCAL-001")
    named = array.dimension_names is not None
    detail = "dimension_names []" if named else "there are no dimension_names"
    yield RoleTest("declares so in its dimension_names", named, detail, "NZ-SCAL-001")


def _by_metadata(array: Array) -> Iterator[RoleTest]:
    one = array.ndim == 1
    if array.shape is None:
        detail = "its shape cannot be read"
    else:
        count = "one dimension" if one else f"{array.ndim} dimensions"
        detail = f"shape [{', '.join(map(str, array.shape))}]: {count}"
    yield RoleTest("has exactly one dimension", one, detail, "NZ-COORD-005")
    names = array.dimension_names
    same = is_candidate(array) if one else array.name in (names or ())
    if names is None:
        detail = "its dimensions have no names"
    else:
        shown = ", ".join("(no name)" if name is None else name for name in names)
        are = "dimension is" if len(names) == 1 else "dimensions are"
        detail = f"it is called {array.name}, its {are} called {shown}"
    yield RoleTest("is named like its dimension", same, detail, "NZ-COORD-001")


def _by_values(array: Array, monotonic: MonotonicResult | None) -> Iterator[RoleTest]:
    kind = array.data_type.text
    note = "its values have not been read yet" if monotonic is None else monotonic.note
    answers: tuple[tuple[bool | None, str], ...]
    match None if monotonic is None else monotonic.result:
        case "increasing" | "decreasing" | "trivial":
            answers = (True, kind), (True, "every value was looked at"), (True, _whole(monotonic))
        case "not":
            seen = "none before the order breaks; the rest was not looked at"
            answers = (True, kind), (None, seen), (False, note)
        case "missing":
            why = "not applied: missing values cannot be ordered"
            answers = (True, kind), (False, note), (None, why)
        case "unordered":
            why = "not applied: the convention does not define an order for them"
            answers = (None, f"{kind}: {note}"), (None, why), (None, why)
        case _:
            answers = (True, kind), (None, note), (None, note)
    for (test, rule), (passed, detail) in zip(ASKED_OF_VALUES, answers, strict=True):
        yield RoleTest(test, passed, detail, rule)


def _whole(monotonic: MonotonicResult | None) -> str:
    if monotonic is None or monotonic.first is None or monotonic.last is None:
        return "" if monotonic is None else monotonic.note
    return f"{monotonic.note}, from {monotonic.first} to {monotonic.last}"


def _direction(monotonic: MonotonicResult | None) -> Direction | None:
    return None if monotonic is None else _DIRECTIONS.get(monotonic.result)
