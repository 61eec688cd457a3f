"""GZ: the GeoZarr draft, withdrawn upstream, and so evaluated only when asked for; never above a warning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nz_explorer.conventions.cf.references import is_there, named_nearly
from nz_explorer.conventions.geozarr.attributes import AXES
from nz_explorer.conventions.geozarr.tile_matrix_sets import KNOWN_SETS, inline_as_text, name_of_set
from nz_explorer.conventions.nz.array_types import is_text
from nz_explorer.conventions.nz.dimensions import names_pointer, set_name
from nz_explorer.conventions.suggested_names import add_names, suggested_names, where_from
from nz_explorer.conventions.uris import is_uri
from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node, dimension_table, is_candidate
from nz_explorer.model.dialects import crs, multiscales
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.phrases import article

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker

COORDINATE_ATTRIBUTES = ("standard_name", "units", "axis")
DESCRIPTIVE = ("standard_name", "long_name", "units", "description", "title")


@rule("GZ-META-001", on="root")
def withdrawn(_node: Node) -> Iterator[Fail]:
    """Report that the draft was withdrawn."""
    yield Fail(
        "",
        "this GeoZarr draft was withdrawn (geozarr-spec 824906b, 2025-12-08);"
        " the conventions proj, spatial and multiscales replace it",
    )


@rule(
    "GZ-URI-001",
    on="group",
    needs=("attributes",),
    when=lambda group: "multiscales" in group.attributes,
)
def uris(group: Group) -> Iterator[Fail]:
    """Require members that should be URIs to be valid ones."""
    given = group.attributes["multiscales"]
    matrices = multiscales.member(given, "tile_matrix_set")
    found: dict[tuple[str, ...], Any] = {("tile_matrix_set",): matrices}
    for name in ("uri", "wellKnownScaleSet", "crs", "supportedCRS"):
        found["tile_matrix_set", name] = one = multiscales.member(matrices, name)
        found["tile_matrix_set", name, "uri"] = multiscales.member(one, "uri")
    for place, value in found.items():
        if not isinstance(value, str) or (":" not in value and len(place) == 1):
            continue  # a name, or an object
        if len(place) == 1 and inline_as_text(value) is not None:
            continue  # GZ-MS-009
        if is_uri(value) or (len(place) > 1 and crs.code(value) is not None):
            continue
        pointer = group.attribute_pointer("multiscales", *place)
        right = _encoded(value)
        yield Fail(
            pointer,
            f"{json_text(value)} is not a valid URI (RFC 3986)",
            fix=set_to(pointer, right) if right is not None and is_uri(right) else None,
        )


_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def _encoded(text: str) -> str | None:
    """Return a URI with the characters encoded that it must not have there: brackets are for addresses of hosts alone.

    Blanks around it are no part of it. None of a path with backslashes, which is no URI in any spelling, and where a
    text has half of a character, which JSON can have, and UTF-8 cannot.
    """
    if "\\" in text:
        return None
    text = text.strip()
    authority = _AUTHORITY.match(text)
    start = authority[0] if authority is not None else ""
    rest, hash_sign, fragment = text[len(start) :].partition("#")
    safe = ":/?@!$&'()*+,;=%-._~"
    try:
        shown = [
            quote(start, safe=f"{safe}[]"),
            *(quote(one, safe=safe) for one in (rest, fragment)),
        ]
    except UnicodeEncodeError:
        return None
    return f"{shown[0]}{shown[1]}{hash_sign}{shown[2]}"


@rule("GZ-GRP-001", on="root", needs=("attributes",))
def conventions_on_root(node: Node) -> Iterator[Fail]:
    """Require the older spelling, which the draft uses."""
    given = node.attributes.get("Conventions")
    if (
        isinstance(node, Group)
        and given is not None
        and not (isinstance(given, str) and given.strip())
    ):
        yield Fail(
            node.attribute_pointer("Conventions"),
            f"Conventions must be a text such as CF-1.10, got {json_text(given)}",
            fix=_conventions,
        )
    elif isinstance(node, Group) and "Conventions" not in node.attributes:
        note = "; NZ has conventions instead" if "conventions" in node.attributes else ""
        yield Fail(
            node.attribute_pointer("Conventions"),
            f"the root has no attribute Conventions{note}",
            fix=_conventions,
        )


def _conventions(node: Node) -> Draft:
    """Say in the older spelling what the newer one says."""
    named = node.attributes.get("conventions")
    if not isinstance(named, str) or not named.strip():
        return Draft("suggest", note="name what the data follow, such as CF-1.10")
    return Draft(
        "suggest",
        set_attribute(node, "Conventions", named),
        "add CF and its version if the data follow it",
    )


_TAKES_NOTHING_FOR_A_NAME = (
    "takes None, or the empty text, for its name, so all dimensions without a name are one"
)


@rule("GZ-DIM-001", on="array", needs=("shape", "names"))
def named(array: Array) -> Iterator[Fail]:
    """Require names of dimensions, which Zarr v3 leaves to the writer; of v2, where there is a list, that none is empty."""
    names, v2 = array.dimension_names, array.zarr_format == 2
    if array.ndim and (not v2 if names is None else not all(names)):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS") if v2 else "/dimension_names",
            "this array has no dimension_names"
            if names is None
            else "not every dimension of this array has a name",
            fix=add_names if names is None else _name_the_others,
            # only where there are no names at all does xarray refuse the array
            readers=None if names is None else {"xarray": _TAKES_NOTHING_FOR_A_NAME},
            impact=None if names is None else "distance",
        )


def _name_the_others(node: Node) -> Draft | None:
    if not isinstance(node, Array) or node.shape is None:
        return None
    found, certain = suggested_names(node)
    names = [own or name for own, name in zip(node.dimension_names or (), found, strict=True)]
    added = [name for own, name in zip(node.dimension_names or (), found, strict=True) if not own]
    note = None if certain else where_from(added, node)
    if node.zarr_format == 2:
        return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names), note)
    return Draft("suggest", (replace("/dimension_names", names),), note)


@rule("GZ-DIM-005", on="array", formats=(3,))
def resizeable(array: Array) -> Iterator[Fail]:
    """Fail on the member that the draft recommends, and that makes conforming readers refuse the array."""
    given = array.metadata.get("resizeable")
    if isinstance(given, Mapping) and given.get("must_understand") is False:
        return  # an extension that readers pass over
    if "resizeable" in array.metadata:
        yield Fail(
            "/resizeable",
            '"resizeable" is not a member of Zarr v3 and makes the array unreadable, although the draft recommends it',
            fix=lambda _node: Draft("safe", (remove("/resizeable"),)),
        )


# --- groups and what is above them ---------------------------------------------------------------


def _above(group: Group) -> Iterator[Group]:
    """Yield the groups above a group, the nearest first."""
    for path in all_above(group.path):
        node = group.hierarchy.node_if_loaded(path)
        if isinstance(node, Group):
            yield node


def _lengths(group: Group) -> dict[str, set[int]]:
    found = {}
    for dimension in dimension_table(group.arrays):
        if dimension.name:
            found[dimension.name] = {use.length for use in dimension.uses}
    return found


@rule("GZ-DIM-002", "GZ-DIM-003", "GZ-ATT-004", on="members")
def against_groups_above(group: Group) -> Iterator[Fail]:
    """Compare dimensions and attributes with those of the groups above."""
    groups = [group, *_above(group)]
    own, *others = lengths = [_lengths(node) for node in groups]
    scope = _of_one_level(groups)
    reported = {name for name, lengths in own.items() if len(lengths) > 1}
    for name in sorted(reported):
        yield Fail(
            "", f"dimension {json_text(name)} is both {_shown(own[name])} long in {group.path}"
        )
    yield from _names_alike(group, own)
    for above, theirs in zip(groups[1:scope], others, strict=False):
        for name in sorted(own.keys() & theirs.keys() - reported):
            if own[name] != theirs[name]:
                reported.add(name)
                here, there = (_shown(of[name]) for of in (own, theirs))
                yield Fail(
                    "",
                    f"dimension {json_text(name)} is {here} long in {group.path} and {there} long in {above.path}",
                    related=(above.path,),
                )
    yield from _other_axes(groups[:scope], reported)
    for array in group.arrays:
        yield from _ancestor_dimensions(array, lengths)
    yield from _attribute_types(group)


def _shown(lengths: set[int]) -> str:
    return " and ".join(map(str, sorted(lengths)))


def _names_alike(group: Group, lengths: dict[str, set[int]]) -> Iterator[Fail]:
    """Note dimensions of one length whose names differ by capitals and blanks alone: variables along one axis share its name."""
    first: dict[str, str] = {}
    for name in sorted(lengths):
        other = first.setdefault(name.strip().lower(), name)
        if other != name and lengths[other] == lengths[name]:
            yield Fail(
                "",
                f"dimensions {json_text(other)} and {json_text(name)} of {group.path} are both {_shown(lengths[name])} long, and their"
                " names differ by capitals or blanks alone: to readers they are two",
                severity="info",
            )


def _other_axes(groups: list[Group], reported: set[str]) -> Iterator[Fail]:
    """Report dimensions of a group that are along another axis than those of that name above, by their coordinates."""
    own, *others = map(_axes, groups)
    for above, theirs in zip(groups[1:], others, strict=True):
        for name in sorted(own.keys() & theirs.keys() - reported):
            reported.add(name)  # what is further above has been compared with that group
            if own[name] != theirs[name]:
                yield Fail(
                    "",
                    f"dimension {json_text(name)} is the axis {own[name]} in {groups[0].path} and {theirs[name]} in {above.path},"
                    " by the attribute axis of its coordinates",
                    related=(above.path,),
                )


def _axes(group: Group) -> dict[str, str]:
    """Return which axis each dimension of a group is by the coordinate of its name, where that says one."""
    found = {
        array.name: array.attributes.get("axis") for array in group.arrays if is_candidate(array)
    }
    return {
        name: axis.upper()
        for name, axis in found.items()
        if isinstance(axis, str) and axis.upper() in AXES
    }


def _of_one_level(groups: list[Group]) -> int:
    """Return how many of a group and those above it are of one resolution: up to the group that is a level of a pyramid."""
    path = groups[0].path
    for number, above in enumerate(groups):
        if "multiscales" in above.attributes:
            names = multiscales.level_names(above.attributes)
            inside = path.removeprefix(below(above.path)) if number else ""
            # a set that is elsewhere may have levels of any name
            given = multiscales.member(above.attributes["multiscales"], "tile_matrix_set")
            elsewhere = (
                isinstance(given, str) and name_of_set({"tile_matrix_set": given}) not in KNOWN_SETS
            )
            levels = (f"{name}/" for name in names if name)
            if inside and (elsewhere or any(f"{inside}/".startswith(name) for name in levels)):
                return number
            if not inside and "" in names:  # the group itself
                return 1
    return len(groups)


def _ancestor_dimensions(array: Array, lengths: list[dict[str, set[int]]]) -> Iterator[Fail]:
    shape = array.shape or ()
    for axis, name in enumerate(array.dimension_names or ()):
        if not name or not name.startswith("/") or axis >= len(shape):
            continue
        wanted = name[1:]
        if not any(shape[axis] in known.get(wanted, ()) for known in lengths[1:]):
            own = shape[axis] in lengths[0].get(wanted, ())
            other = next((known[wanted] for known in lengths[1:] if wanted in known), None)
            yield Fail(
                names_pointer(array, axis),
                (
                    f"{json_text(name)} refers to a dimension of length {shape[axis]} in a parent group, which does not exist"
                    if other is None
                    else f"{json_text(name)} is {shape[axis]} long in {array.path}, and the dimension {json_text(wanted)} of the"
                    f" parent group, to which it refers, is {_shown(other)} long"
                )
                + (f"; {json_text(wanted)} is one of {array.parent} itself" if own else ""),
                fix=_dimension_above(array, axis, lengths),
                path=array.path,
                rule="GZ-DIM-003",
            )


def _dimension_above(array: Array, axis: int, lengths: list[dict[str, set[int]]]) -> FixMaker:
    """Return the fix that names the one dimension above that is as long; the array's own name otherwise."""
    length = (array.shape or ())[axis]
    as_long = list(dict.fromkeys(n for known in lengths[1:] for n in known if length in known[n]))
    name = ((array.dimension_names or ())[axis] or "").lstrip("/")
    if len(as_long) == 1 and length not in lengths[0].get(name, ()):
        name, note = f"/{as_long[0]}", f"the only dimension above that is {length} long"
    else:
        if not name or any(length not in known.get(name, {length}) for known in lengths):
            name = f"{name or 'dim'}_{length}"
        note = "a dimension of this group; or give a group above such a dimension"
    return lambda _node: Draft("suggest", set_name(array, axis, name), note, node=array)


def _attribute_types(group: Group) -> Iterator[Fail]:
    groups = list(_above(group))
    for name in group.attributes:
        above = next((one for one in groups if name in one.attributes), None)
        if above is None:
            continue
        types = [json_type(node.attributes[name]) for node in (group, above)]
        mine, theirs = (kind if kind == "null" else article(kind) for kind in types)
        if mine != theirs:
            yield Fail(
                group.attribute_pointer(name),
                f"attribute {json_text(name)} is {mine} in {group.path} and {theirs} in {above.path}",
                related=(above.path,),
                rule="GZ-ATT-004",
            )


@rule("GZ-COORD-001", "GZ-COORD-002", "GZ-COORD-003", "GZ-CRS-001", "GZ-VAR-001", on="members")
def arrays_of_group(group: Group) -> Iterator[Fail]:
    """Judge coordinates and variables of a group."""
    dimensions = dimension_table(group.arrays)
    for dimension in dimensions:
        if dimension.namesake is not None:
            yield Fail(
                "",
                f"{dimension.namesake.path} has the name of a dimension, and is no coordinate: that has one dimension, of its own name",
                severity="info" if (dimension.namesake.ndim or 0) > 1 else None,
                path=dimension.namesake.path,
            )
    named = {name for array in group.arrays for name in mapping_names(array)}
    for array in group.arrays:  # CF: bounds share the attributes of their coordinate
        bounds = (array.attributes.get(name) for name in ("bounds", "climatology"))
        named.update(name for name in bounds if isinstance(name, str))
    for array in group.arrays:
        coordinate = is_candidate(array)
        if coordinate:
            # texts are labels, which have no units, nor are they along X, Y, Z or T
            wanted = COORDINATE_ATTRIBUTES[:1] if is_text(array) else COORDINATE_ATTRIBUTES
            lacking = [name for name in wanted if name not in array.attributes]
            if lacking:
                yield Fail(
                    "",
                    f"coordinate {array.path} lacks {', '.join(lacking)}",
                    path=array.path,
                    rule="GZ-COORD-002",
                )
        elif (
            array.ndim
            and array.name not in named
            and not any(name in array.attributes for name in DESCRIPTIVE)
        ):
            yield Fail(
                "",
                f"{array.path} has no descriptive attributes such as {', '.join(DESCRIPTIVE[:2])} or {DESCRIPTIVE[2]}",
                path=array.path,
                rule="GZ-VAR-001",
            )
        given = array.attributes.get("grid_mapping")
        if given is not None and not isinstance(given, str):  # null is GZ-ATT-003
            yield Fail(
                array.attribute_pointer("grid_mapping"),
                f"grid_mapping must be the name of an array, got {json_text(given)}",
                fix=_lone_mapping(array, given),
                path=array.path,
                rule="GZ-COORD-003" if coordinate else "GZ-CRS-001",
            )
        for name in mapping_names(array):
            if not is_there(group, name):
                yield Fail(
                    array.attribute_pointer("grid_mapping"),
                    f"there is no array for the grid mapping {json_text(name)}",
                    fix=named_nearly(group, array.path, "grid_mapping", [name]),
                    path=array.path,
                    rule="GZ-COORD-003" if coordinate else "GZ-CRS-001",
                )


def _lone_mapping(array: Array, given: Any) -> FixMaker | None:
    """Return the fix that takes the one name out of its list."""
    if not (isinstance(given, list) and len(given) == 1 and isinstance(given[0], str)):
        return None
    return lambda _node: Draft(
        "suggest", set_attribute(array, "grid_mapping", given[0]), node=array
    )


def mapping_names(array: Array) -> list[str]:
    """Return the arrays that a grid mapping names, also in the extended form ``crs: x y``.

    Parameters
    ----------
    array : Array
        An array with or without the attribute grid_mapping.
    """
    given = array.attributes.get("grid_mapping")
    if not isinstance(given, str) or not given.strip():
        return []
    words = given.split()
    return [word[:-1] for word in words if word.endswith(":")] or words[:1]
