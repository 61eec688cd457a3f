"""CS and REF: coordinate systems in metadata (R-CF/zarr_conventions_cs), and the references they use.

A reference system is judged where it stands: one that a group keeps is judged once, at the group. What
depends on an array – its shape, the names of its dimensions – is judged at the array.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array, Group, Node
from nz_explorer.model import crs as known_crs
from nz_explorer.model.cs import (
    ABBREVIATIONS,
    Axis,
    CoordinateSet,
    CoordinateSystem,
    Crs,
    coordinate_system,
    is_cs,
    is_shared,
    numbers,
    revision,
    shared_systems,
    time_units,
)
from nz_explorer.model.document import json_type
from nz_explorer.model.json_text import json_text
from nz_explorer.model.ref import Reference, is_reference, resolve, with_attributes
from nz_explorer.rules import known_conventions
from nz_explorer.rules.conventions import declare, declared_here
from nz_explorer.rules.findings import Fail, FixMaker, Undecided
from nz_explorer.rules.fixes import Draft, add, remove, replace
from nz_explorer.rules.registry import rule
from nz_explorer.rules.uris import is_uri

if TYPE_CHECKING:
    from nz_explorer.rules.known_conventions import Convention

Told = Iterator[Fail | Undecided]

DIRECTIONS = frozenset(
    (
        "north",
        "northNorthEast",
        "northEast",
        "eastNorthEast",
        "east",
        "eastSouthEast",
        "southEast",
        "southSouthEast",
        "south",
        "southSouthWest",
        "southWest",
        "westSouthWest",
        "west",
        "westNorthWest",
        "northWest",
        "northNorthWest",
        "up",
        "down",
        "geocentricX",
        "geocentricY",
        "geocentricZ",
        "future",
        "past",
        "columnPositive",
        "columnNegative",
        "rowPositive",
        "rowNegative",
        "displayRight",
        "displayLeft",
        "displayUp",
        "displayDown",
        "forward",
        "aft",
        "port",
        "starboard",
        "clockwise",
        "counterClockwise",
        "towards",
        "awayFrom",
        "unspecified",
    )
)
"""OGC 18-005r5, Table 48."""
USUAL = {"X": ("east",), "Y": ("north",), "Z": ("up", "down"), "T": ("future", "past")}
CALENDARS = frozenset(
    (
        "standard",
        "gregorian",
        "proleptic_gregorian",
        "julian",
        "noleap",
        "365_day",
        "all_leap",
        "366_day",
        "360_day",
        "utc",
        "tai",
    )
)
MOST_EXPLICIT = 25
"""Values that may well stand in the metadata."""
_TIME_UNIT = re.compile(
    r"([fpnuµmkMG]|milli|micro|nano|kilo)?(s|sec|secs|second|seconds)|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|"
    r"months?|[kM]?(y|yrs?|years?)"
)
_EPOCH = re.compile(
    r"(-?\d{1,6})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]+\d{1,2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?)?)?\s*(?:Z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
)
_CF_DEGREES = re.compile(r"degrees?_?(north|east|N|E)")
_SCHEMA_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")


def _uses_cs(array: Array) -> bool:
    attributes = array.attributes
    return is_cs(attributes.get("cs")) or (
        "cs" in attributes and known_conventions.CS in declared_here(array)
    )


def _keeps_crs(group: Group) -> bool:
    attributes = group.attributes
    return is_shared(attributes.get("crs")) or (
        "crs" in attributes and known_conventions.CS in declared_here(group)
    )


# --- what stands in a reference system -----------------------------------------------------------

OF_CRS = (
    "CS-NAME-001",
    "CS-ID-004",
    "CS-AX-001",
    "CS-AX-003",
    "CS-AX-005",
    "CS-AX-006",
    "CS-AX-007",
    "CS-AX-008",
    "CS-CO-001",
    "CS-CO-002",
    "CS-CO-003",
    "CS-CO-004",
    "CS-TIME-001",
    "CS-TIME-002",
    "CS-TIME-003",
    "CS-TIME-004",
    "CS-VAL-001",
    "CS-VAL-002",
    "CS-VAL-003",
    "CS-VAL-005",
    "CS-VAL-006",
    "CS-VAL-007",
    "CS-BND-001",
    "CS-BND-002",
    "CS-BND-003",
    "CS-REV-001",
    "CS-REG-001",
    "CS-REG-002",
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
)
"""Rules on what stands in a node, whether that is an array or a group."""


def _of_crs(crs: Crs) -> Told:
    """Judge a reference system by itself."""
    if isinstance(crs.given, Mapping):
        yield from _name(crs.pointer("name"), crs.given.get("name"))
        yield from _identifier(crs.pointer("id"), crs.given.get("id"))
    # In r1 an axis has the direction; in the others its sets of coordinates have one each.
    at_axes = isinstance(crs.given, Mapping) and isinstance(crs.given.get("axes"), list)
    at_axes = at_axes and all("direction" not in s.given for a in crs.axes for s in a.sets)
    for axis in crs.axes:
        yield from _axis(axis)
        yield from _directions(axis, at_axis=at_axes or "direction" in axis.given)


def _name(pointer: str, given: Any) -> Told:
    if given is None:
        return
    legal = isinstance(given, str) and given and "/" not in given and given.strip(".")
    if not legal or given.startswith("__") or given == "zarr.json":
        yield Fail(
            pointer,
            f"name {json_text(given)} is not a legal name of Zarr",
            rule="CS-NAME-001",
        )


def _identifier(pointer: str, given: Any) -> Told:
    if given is None:
        return
    error: str | None = "it is no object"
    if isinstance(given, Mapping):
        error = known_conventions.property_error(known_conventions.PROJ, given)
        if not known_conventions.PROJ.keys & given.keys():
            error = "it has none of the attributes proj:"
    if error is not None:
        yield Fail(pointer, f"id: {error}", rule="CS-ID-004")


def _axis(axis: Axis) -> Told:
    shown = json_text(axis.name)
    if axis.name is None:
        yield Fail(axis.pointer("name"), f"axis {axis.place[-1]} has no name", rule="CS-AX-001")
    yield from _abbreviation(axis)
    given, pointer = axis.given.get("coordinates"), axis.pointer("coordinates")
    if given is None:
        hints = [m for m in ("unit", "time", "values") if m in axis.given]
        if hints:
            yield Fail(
                pointer,
                f"axis {shown} has {hints[0]} but no coordinates, to which that belongs",
                rule="CS-CO-001",
            )
    elif not isinstance(given, list) or not given or len(axis.sets) != len(given):
        yield Fail(
            pointer,
            f"coordinates of {shown} must be a list of objects, got {json_text(given)}",
            fix=_wrap(pointer, given) if isinstance(given, dict) else None,
            rule="CS-CO-002",
        )
    yield from _set_names(axis)
    for one in axis.sets:
        yield from _coordinates(axis, one)


def _wrap(pointer: str, given: Any) -> FixMaker:
    return lambda _node: Draft("unsafe", (replace(pointer, [given]),))


def _abbreviation(axis: Axis) -> Told:
    given, name = axis.abbreviation, (axis.name or "").lower()
    pointer = axis.pointer("abbreviation")
    if given is not None and given not in ABBREVIATIONS:
        right = given.upper() if isinstance(given, str) and given.upper() in ABBREVIATIONS else None
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)}: abbreviation {json_text(given)} is none of X, Y, Z and T",
            fix=None if right is None else lambda _node: Draft("safe", (replace(pointer, right),)),
            rule="CS-AX-003",
        )
    elif given is None and name in known_crs.X_NAMES | known_crs.Y_NAMES:
        right = "X" if name in known_crs.X_NAMES else "Y"
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has no abbreviation; by its name it is {right}",
            severity="warning",
            fix=lambda _node: Draft("suggest", (add(pointer, right),)),
            rule="CS-AX-003",
        )


def _set_names(axis: Axis) -> Told:
    names = Counter(one.name for one in axis.sets)
    for name, count in names.items():
        if count > 1:
            what = "sets of coordinates have no name" if name is None else "sets are called so"
            yield Fail(
                axis.pointer("coordinates"),
                f"axis {json_text(axis.name)}: {count} {what}"
                + ("" if name is None else f": {json_text(name)}"),
                severity="info" if name is None else None,
                rule="CS-CO-003",
            )


def _is_text(one: CoordinateSet) -> bool | None:
    """Whether coordinates are texts; None where that cannot be told."""
    if one.kind == "regular":
        return False
    if one.kind == "explicit" and isinstance(one.values, list) and one.values:
        return all(isinstance(value, str) for value in one.values)
    held = one.external()
    if held is None or not held.data_type.known:
        return None
    return held.data_type.kind in ("string", "bytes")


def _coordinates(axis: Axis, one: CoordinateSet) -> Told:
    text = _is_text(one)
    yield from _unit(axis, one, text)
    yield from _time(axis, one)
    yield from _values(axis, one)
    yield from _boundaries(axis, one, text)


def _directions(axis: Axis, *, at_axis: bool) -> Told:
    """Judge the direction of an axis, and those that sets of its coordinates have of their own."""
    if axis.given.get("coordinates") is None and "direction" in axis.given:
        yield from _no_direction(axis, axis.pointer("direction"), "ordinal")
    texts: list[bool | None] = []
    for one in axis.sets:
        if "direction" in one.given or not at_axis:
            yield from _direction(axis, one, _is_text(one))
        else:
            texts.append(_is_text(one))
    if texts:
        known = [text for text in texts if text is not None]
        yield from _direction(axis, axis, min(known, default=None))


def _direction(axis: Axis, holder: Axis | CoordinateSet, text: bool | None) -> Told:
    pointer, given = holder.pointer("direction"), holder.given.get("direction")
    usual = USUAL.get(axis.abbreviation) if isinstance(axis.abbreviation, str) else None
    if given is None:
        if text is False:
            yield Fail(
                pointer,
                f"the numbers of axis {json_text(axis.name)} have no direction",
                fix=lambda _node: Draft("suggest", (add(pointer, usual[0]),) if usual else ()),
                rule="CS-AX-005",
            )
        return
    if text is True:
        yield from _no_direction(axis, pointer, "string")
    if not isinstance(given, str) or given not in DIRECTIONS:
        right = next((d for d in DIRECTIONS if d.lower() == str(given).lower()), None)
        yield Fail(
            pointer,
            f"{json_text(given)} is not a direction of OGC 18-005r5, Table 48",
            fix=None if right is None else lambda _node: Draft("safe", (replace(pointer, right),)),
            rule="CS-AX-007",
        )
    elif usual is not None and given not in usual:
        yield Fail(
            pointer,
            f"axis {axis.abbreviation} usually points {' or '.join(usual)}, not {given}",
            rule="CS-AX-008",
        )


def _no_direction(axis: Axis, pointer: str, kind: str) -> Told:
    yield Fail(
        pointer,
        f"a direction on the {kind} axis {json_text(axis.name)}, where it should have a natural one",
        rule="CS-AX-006",
    )


def _is_temporal(axis: Axis, one: CoordinateSet) -> bool:
    return axis.abbreviation == "T" or "time" in one.given


def _unit(axis: Axis, one: CoordinateSet, text: bool | None) -> Told:
    pointer, shown = one.pointer("unit"), json_text(axis.name)
    given = one.given.get("unit")
    if given is None:
        if text is False and not _is_temporal(axis, one):
            yield Fail(pointer, f"the numbers of axis {shown} have no unit", rule="CS-CO-004")
    elif text or _is_temporal(axis, one):
        what = "texts" if text else "times, whose time object says it"
        yield Fail(pointer, f"a unit is not allowed for {what} (axis {shown})", rule="CS-CO-004")
    elif isinstance(given, str) and _CF_DEGREES.fullmatch(given):
        yield Fail(
            pointer,
            f'{given} of CF is no unit here: the direction says the rest; use "degrees"',
            severity="warning",
            fix=lambda _node: Draft("safe", (replace(pointer, "degrees"),)),
            rule="CS-CO-004",
        )


def _time(axis: Axis, one: CoordinateSet) -> Told:
    pointer, shown = one.pointer("time"), json_text(axis.name)
    given = one.given.get("time")
    if given is None:
        if axis.abbreviation == "T":
            yield Fail(pointer, f"axis {shown}: the time object is missing", rule="CS-TIME-001")
        return
    if axis.abbreviation != "T":
        yield Fail(
            pointer,
            f"axis {shown}: a time object is not allowed without the abbreviation T",
            rule="CS-TIME-001",
        )
    if not isinstance(given, Mapping):
        yield Fail(pointer, f"time must be an object, got {json_type(given)}", rule="CS-TIME-002")
        return
    if "reference" in given and ("unit" in given or "epoch" in given):
        yield Fail(
            f"{pointer}/reference",
            "time has reference as well as unit and epoch, of two revisions",
            severity="warning",
            rule="CS-TIME-002",
        )
    calendar = given.get("calendar")
    known = isinstance(calendar, str) and calendar.lower() in CALENDARS
    if not known:
        what = "is missing" if calendar is None else f"{json_text(calendar)} is not known"
        operation = (add if calendar is None else replace)(f"{pointer}/calendar", "standard")
        yield Fail(
            f"{pointer}/calendar",
            f"calendar {what}",
            fix=lambda _node: Draft("suggest", (operation,)),
            rule="CS-TIME-003",
        )
    yield from _epoch(given, pointer, str(calendar) if known else "standard")


def _epoch(given: Mapping[str, Any], pointer: str, calendar: str) -> Told:
    units = time_units(given)
    unit, _, epoch = (units or "").partition(" since ")
    member = "reference" if "reference" in given or "epoch" not in given else "epoch"
    match = _EPOCH.fullmatch(epoch.strip())
    if units is None or match is None or not _TIME_UNIT.fullmatch(unit.strip()):
        shown = {m: given[m] for m in ("reference", "unit", "epoch") if m in given}
        yield Fail(
            f"{pointer}/{member}",
            f'time must be like "days since 1850-01-01", got {json_text(shown)}',
            rule="CS-TIME-002",
        )
        return
    import cftime  # type: ignore[import-untyped, unused-ignore]

    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        cftime.datetime(
            year, month, day, calendar="standard" if calendar in ("utc", "tai") else calendar
        )
    except ValueError:
        yield Fail(
            f"{pointer}/{member}",
            f"{epoch.strip()} does not exist in the calendar {calendar}",
            rule="CS-TIME-004",
        )


def _values(axis: Axis, one: CoordinateSet) -> Told:
    pointer, given = one.pointer("values"), one.given.get("values")
    kinds = ("regular", "external", "explicit")
    there = [kind for kind in kinds if isinstance(given, Mapping) and kind in given]
    if len(there) != 1:
        got = " and ".join(there) if there else json_text(given) if given is not None else "nothing"
        yield Fail(
            pointer,
            f"values of {json_text(axis.name)} must have exactly one of regular, external and explicit, got {got}",
            rule="CS-VAL-001",
        )
        return
    at = f"{pointer}/{there[0]}"
    if one.kind == "regular":
        pair = numbers(one.values, 2)
        if pair is None:
            yield Fail(
                at,
                f"regular must be [first, increment], got {json_text(one.values)}",
                rule="CS-VAL-002",
            )
        elif pair[1] == 0:
            yield Fail(f"{at}/1", "the increment is 0", rule="CS-VAL-003")
    elif one.kind == "external":
        yield from _reference(one.home, resolve(one.values, one.home), at)
    else:
        yield from _explicit(axis, one.values, at)


def _explicit(axis: Axis, given: Any, at: str) -> Told:
    shown = json_text(axis.name)
    kinds = {json_type(value) for value in given} if isinstance(given, list) else {"none"}
    if len(kinds) > 1 or not kinds <= {"number", "string"}:
        yield Fail(
            at,
            f"explicit values of {shown} must be a list of numbers or one of texts, got {json_text(given)}",
            rule="CS-VAL-005",
        )
        return
    if len(given) > MOST_EXPLICIT:
        yield Fail(
            at,
            f"{len(given)} explicit values; an external array suits them better",
            rule="CS-VAL-006",
        )
    plain = [value for value in given if type(value) in (int, float)]
    pairs = list(pairwise(plain))
    rising, falling = all(a < b for a, b in pairs), all(a > b for a, b in pairs)
    if pairs and not rising and not falling:
        yield Fail(at, f"values of {shown} are not monotonic", rule="CS-VAL-007")


def _boundaries(axis: Axis, one: CoordinateSet, text: bool | None) -> Told:
    given = one.given.get("boundaries")
    if given is None:
        return
    pointer = one.pointer("boundaries")
    if text:
        yield Fail(
            pointer,
            f"boundaries on the string axis {json_text(axis.name)}",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
            rule="CS-BND-002",
        )
    there = [
        kind for kind in ("regular", "external") if isinstance(given, Mapping) and kind in given
    ]
    if len(there) != 1:
        yield Fail(
            pointer,
            f"boundaries must have exactly one of regular and external, got {' and '.join(there) or json_text(given)}",
            rule="CS-BND-001",
        )
        return
    if there == ["external"]:
        reference = resolve(given["external"], one.home)
        yield from _reference(one.home, reference, f"{pointer}/external")
    elif numbers(given["regular"], 2) is None:
        yield Fail(
            f"{pointer}/regular",
            f"regular must be [lower, upper] extents, got {json_text(given['regular'])}",
            rule="CS-BND-003",
        )


# --- references ----------------------------------------------------------------------------------

_OF_KIND = {"form": "REF-001", "node": "REF-002", "attribute": "REF-005"}


def _reference(home: Node, reference: Reference, at: str) -> Told:
    """Judge a reference that stands in a node."""
    if reference.uri is not None:
        yield from _uri(home, reference.uri, at)
    if reference.kind in _OF_KIND:
        yield Fail(
            at,
            f"reference: {reference.problem}",
            fix=_from_root(home, reference, at) if reference.kind == "attribute" else None,
            rule=_OF_KIND[reference.kind],
        )
    paths = [target.node.path for target in reference.targets]
    if len(paths) > 1:
        yield Fail(
            at,
            f"{reference.path} leads to {' or to '.join(paths)}, by what it is relative to",
            related=tuple(paths),
            rule="REF-002",
        )


def _uri(home: Node, uri: str, at: str) -> Told:
    pointer = f"{at}/uri"
    # Of relative references only those to the document itself, which RFC 3986 spells so, mean something.
    if uri in ("", ".") or uri.rstrip("/") == str(home.hierarchy.source).rstrip("/"):
        yield Fail(
            pointer,
            "uri must be omitted inside one store",
            fix=lambda _node: Draft("safe", (remove(pointer),)),
            rule="REF-003",
        )
    elif not is_uri(uri):
        yield Fail(pointer, f"uri {json_text(uri)} is not valid (RFC 3986)", rule="REF-004")


def _from_root(home: Node, reference: Reference, at: str) -> FixMaker | None:
    right = with_attributes(reference.attribute or "")
    found = resolve({"node": reference.path, "attribute": right}, home)
    if not found.targets:
        return None
    inner = f"{at}/ref" if isinstance(reference.given, Mapping) and "ref" in reference.given else at
    return lambda _node: Draft("suggest", (replace(f"{inner}/attribute", right),))


# --- registration and revision -------------------------------------------------------------------


def _registered(node: Node, systems: Iterable[Crs], attribute: str) -> Told:
    """Judge whether the conventions that a node uses are declared there."""
    declared = declared_here(node)
    pointer = node.attribute_pointer(attribute)
    if known_conventions.CS not in declared:
        yield _undeclared(pointer, attribute, known_conventions.CS, "CS-REG-001")
    own = [crs for crs in systems if crs.home is node or crs.reference is not None]
    used: dict[Convention, str] = {}
    for crs in own:
        if crs.reference is not None:
            used[known_conventions.REF] = "a reference"
        if crs.home is not node:
            continue
        if isinstance(crs.given, Mapping) and isinstance(crs.given.get("id"), Mapping):
            used[known_conventions.PROJ] = "id"
        for axis in crs.axes:
            for one in axis.sets:
                bounds = one.given.get("boundaries")
                if one.kind == "external" or (isinstance(bounds, Mapping) and "external" in bounds):
                    used[known_conventions.REF] = "external"
                if isinstance(one.given.get("unit"), Mapping):
                    used[known_conventions.UOM] = "unit"
    for known, what in used.items():
        if known not in declared:
            yield _undeclared(pointer, f"{known.name} (by {what})", known, "CS-REG-002")


def _undeclared(pointer: str, what: str, known: Convention, rule_id: str) -> Fail:
    return Fail(
        pointer,
        f"{what} is used, but {known.name} is not declared in zarr_conventions",
        fix=declare(known),
        rule=rule_id,
    )


def _revision(node: Node, systems: Iterable[Crs], attribute: str) -> Told:
    found = sorted({r for crs in systems if crs.home is node for r in revision(crs)})
    if len(found) > 1:
        yield Fail(
            node.attribute_pointer(attribute),
            f"objects follow revisions {' and '.join(found)} of cs",
            rule="CS-REV-001",
        )


# --- groups --------------------------------------------------------------------------------------


@rule(
    "CS-GRP-001",
    "CS-GRP-002",
    *OF_CRS,
    on="group",
    formats=(3,),
    needs=("attributes",),
    reads="rare",
    when=_keeps_crs,
)
def shared(group: Group) -> Told:
    """Judge the reference systems that a group keeps for arrays."""
    given = group.attributes["crs"]
    if not isinstance(given, dict) or not given:
        yield Fail(
            group.attribute_pointer("crs"),
            f"crs must hold at least one reference system by its key, got {json_text(given)}",
        )
        return
    systems = shared_systems(group)
    for key, crs in systems:
        if crs.problem is not None:
            yield Fail(crs.pointer(), f"crs/{key}: {crs.problem}", rule="CS-GRP-002")
        yield from _of_crs(crs)
    found = [crs for _, crs in systems]
    yield from _registered(group, found, "crs")
    yield from _revision(group, found, "crs")


# --- arrays --------------------------------------------------------------------------------------

OF_ARRAY = (
    "CS-ARR-002",
    "CS-ARR-004",
    "CS-ARR-005",
    "CS-ARR-008",
    "CS-ID-001",
    "CS-ID-002",
    "CS-ID-003",
    "CS-AX-002",
    "CS-AX-004",
    "CS-VAL-004",
    "CS-BND-004",
    "CS-CF-001",
    "REF-006",
    "REF-007",
)


@rule(
    "CS-ARR-001",
    *OF_ARRAY,
    *OF_CRS,
    on="array",
    formats=(3,),
    needs=("shape", "attributes", "names"),
    reads="rare",
    when=_uses_cs,
)
def coordinate_set(array: Array) -> Told:
    """Judge the coordinate system of an array, put together from all its reference systems."""
    system = coordinate_system(array)
    given = array.attributes["cs"]
    if system is None or not isinstance(given, dict) or not isinstance(given.get("crs"), list):
        yield Fail(
            array.attribute_pointer("cs"),
            f'cs must be an object with a list "crs", got {json_text(given)}',
        )
        return
    if not given["crs"]:
        yield Fail(array.attribute_pointer("cs", "crs"), "crs is empty", rule="CS-ARR-002")
        return
    yield from _name(array.attribute_pointer("cs", "name"), given.get("name"))
    yield from _identifier(array.attribute_pointer("cs", "id"), given.get("id"))
    for i, crs in enumerate(system.crs):
        yield from _entry(array, i, crs)
        if crs.home is array:
            yield from _of_crs(crs)
    yield from _registered(array, system.crs, "cs")
    yield from _revision(array, system.crs, "cs")
    yield from _identifiers(system)
    if (missing := _missing(system)) is None:
        yield from _composition(system)
    else:
        for rule_id in ("CS-ARR-004", "CS-ARR-005"):
            yield Undecided(f"dependency: {missing}", rule_id)
    yield from _lengths(system)
    yield from _described_twice(system)


def _entry(array: Array, i: int, crs: Crs) -> Told:
    """Judge an entry of the list: a reference system, or a reference to one."""
    pointer = array.attribute_pointer("cs", "crs", i)
    if crs.cycle:
        yield Fail(pointer, f"reference cycle: {crs.problem}", rule="REF-007")
        return
    if crs.reference is not None:
        yield from _reference(array, crs.reference, pointer)
        if crs.reference.targets and crs.problem is not None:
            target = crs.reference.targets[0]
            yield Fail(
                pointer,
                f"{target.pointer or target.node.path} is not a reference system: {crs.problem}",
                related=(target.node.path,),
                rule="REF-006",
            )
    elif crs.problem is not None:
        yield Fail(
            pointer,
            f"crs[{i}] is neither a reference system nor a reference: {crs.problem}",
            rule="CS-ARR-002",
        )


def _identifiers(system: CoordinateSystem) -> Told:
    array, composite = system.array, system.given.get("id") is not None
    physical = [
        (i, crs)
        for i, crs in enumerate(system.crs)
        if any(axis.abbreviation in ABBREVIATIONS for axis in crs.axes)
    ]
    if len(physical) > 1 and not composite:
        yield Fail(
            array.attribute_pointer("cs", "id"),
            f"{len(physical)} reference systems in space and time, and no id for what they make together",
            rule="CS-ID-001",
        )
    for i, crs in physical:
        has_id = isinstance(crs.given, Mapping) and crs.given.get("id") is not None
        pointer = array.attribute_pointer("cs", "crs", i)
        planar = any(axis.abbreviation in ("X", "Y") for axis in crs.axes)
        if planar and not has_id and not composite:
            yield Fail(
                pointer, f"reference system {json_text(crs.name)} has no id", rule="CS-ID-002"
            )
        elif has_id and composite:
            at = crs.pointer("id")
            yield Fail(
                at if crs.home is array else pointer,
                "the id of a reference system is overridden by cs.id",
                fix=(lambda _node, at=at: Draft("unsafe", (remove(at),)))  # type: ignore[misc]  # bound now
                if crs.home is array
                else None,
                rule="CS-ID-003",
            )


def _missing(system: CoordinateSystem) -> str | None:
    """Return the rule without which axes and dimensions cannot be told to fit together."""
    if any(crs.problem is not None for crs in system.crs):
        return "CS-ARR-002"
    if any(axis.name is None for axis in system.axes):
        return "CS-AX-001"
    return "NZ-DIM-001" if system.names is None else None


def _composition(system: CoordinateSystem) -> Told:
    """Judge whether axes and dimensions fit together."""
    array, names = system.array, system.names or ()
    pointer = array.attribute_pointer("cs", "crs")
    for number, (name, axis) in enumerate(zip(names, system.dimensions, strict=True)):
        if axis is None:
            yield Fail(pointer, f"dimension {json_text(name)} has no axis in cs", rule="CS-ARR-004")
        if name is None or names.count(name) > 1 or not _SCHEMA_NAME.fullmatch(name):
            yield Fail(
                f"/dimension_names/{number}",
                f"dimension {json_text(name)}: not accepted by the schema of cs",
                rule="CS-ARR-008",
            )
    for axis in system.extra:
        length = axis.length()
        if length != 1:
            many = "of unknown length" if length is None else f"of length {length}"
            yield Fail(
                pointer,
                f"axis {json_text(axis.name)} ({many}) is not a dimension of the array",
                rule="CS-ARR-005",
            )
    for rule_id, what, values in (
        ("CS-AX-002", "axis", [axis.name for axis in system.axes]),
        ("CS-AX-004", "abbreviation", [axis.abbreviation for axis in system.axes]),
    ):
        texts = Counter(value for value in values if isinstance(value, str))
        for value, count in texts.items():
            if count > 1:
                yield Fail(pointer, f"{what} {json_text(value)} occurs {count} times", rule=rule_id)


def _lengths(system: CoordinateSystem) -> Told:
    """Judge whether values are as many as the dimension is long."""
    array = system.array
    of_dimensions = zip(system.dimensions, array.shape or (), strict=False)
    found = [(axis, length) for axis, length in of_dimensions if axis is not None]
    for axis in system.extra:  # one that is not of length 1 is CS-ARR-005
        length = axis.length()
        found.append((axis, 1 if length is None else length))
    for axis, length in found:
        for one in axis.sets:
            yield from _length(array, axis, one, length)


def _length(array: Array, axis: Axis, one: CoordinateSet, length: int) -> Told:
    shown = json_text(axis.name)

    def at(*members: str) -> str:
        own = one.home is array
        return one.pointer(*members) if own else array.attribute_pointer("cs", "crs")

    if one.kind == "explicit" and isinstance(one.values, list) and len(one.values) != length:
        yield Fail(
            at("values", "explicit"),
            f"{len(one.values)} values for axis {shown} of length {length}",
            rule="CS-VAL-005",
        )
    elif one.kind == "external":
        held, reference = one.external(), resolve(one.values, one.home)
        pointer = at("values", "external")
        if held is not None and held.shape != (length,):
            yield Fail(
                pointer,
                f"{held.path} has shape {list(held.shape or ())}; axis {shown} needs [{length}]",
                related=(held.path,),
                rule="CS-VAL-004",
            )
        elif held is None and (reference.targets or reference.kind == "node"):
            what = "in an array" if reference.targets else "there"
            yield Fail(
                pointer,
                f"values of {shown} are not {what}: {reference.path}",
                rule="CS-VAL-004",
            )
    bounds, given = one.bounds(), one.given.get("boundaries")
    outside = given.get("external") if isinstance(given, Mapping) else None
    if bounds is not None and bounds.shape != (2, length):
        hint = "; that is the layout of CF, transposed" if bounds.shape == (length, 2) else ""
        yield Fail(
            at("boundaries", "external"),
            f"bounds of {shown} in {bounds.path} have shape {list(bounds.shape or ())}, expected [2, {length}]{hint}",
            related=(bounds.path,),
            rule="CS-BND-004",
        )
    elif bounds is None and outside is not None and resolve(outside, one.home).targets:
        yield Fail(
            at("boundaries", "external"),
            f"bounds of {shown} are not in an array",
            rule="CS-BND-004",
        )


def _described_twice(system: CoordinateSystem) -> Told:
    array = system.array
    for axis in system.extra:
        if axis.name is None or "/" in axis.name:
            continue
        stem = "" if array.parent in (None, "/") else array.parent
        beside = array.hierarchy.node_if_loaded(f"{stem}/{axis.name}")
        if isinstance(beside, Array) and beside.ndim == 0:
            yield Fail(
                array.attribute_pointer("cs", "crs"),
                f"{json_text(axis.name)} is described twice: as an axis of cs and as the scalar {beside.path}",
                related=(beside.path,),
                rule="CS-CF-001",
            )


@rule(
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
    on="node",
    formats=(3,),
    needs=("attributes",),
    reads="rare",
    when=lambda node: isinstance(node.attributes.get("ref"), Mapping),
)
def reference(node: Node) -> Told:
    """Judge a reference that stands by itself among the attributes of a node."""
    if known_conventions.REF in declared_here(node) or is_reference(node.attributes["ref"]):
        found = resolve({"ref": node.attributes["ref"]}, node)
        yield from _reference(node, found, node.attribute_pointer("ref"))
