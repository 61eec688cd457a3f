"""ZCF: whether attributes are what the conventions that a node declares say of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import is_number, set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import (
    declared_here,
    declares,
    entries,
    levels,
    pointer_to,
)
from nz_explorer.conventions.zcf.properties_of_proj import (
    as_it_is_described,
    as_the_text_has_it,
    code_in_other_letters,
    code_is_none,
    of_epsg,
    of_stac,
    several_systems,
)
from nz_explorer.conventions.zcf.pyramids.members import (
    call_it,
    members_in_other_letters,
    of_a_level,
)
from nz_explorer.conventions.zcf.read_by_zarr_cm import is_refused
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.engine.schema_convention import MOST_VIOLATIONS
from nz_explorer.model import Array
from nz_explorer.model.dialects import crs, multiscales
from nz_explorer.model.dialects.cs import is_cs, is_shared, is_system
from nz_explorer.model.dialects.ref import is_reference
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention
    from nz_explorer.model import Node


@rule(
    "ZCF-SCHEMA-001",
    on="node",
    needs=("attributes", "conventions list"),
    when=declares,
)
def properties_valid(node: Node) -> RuleOutput:
    """Require properties that the declared convention allows, as zarr-cm checks them."""
    refused = None
    for found in _wrong_properties(node):
        if refused is None:
            refused = is_refused(node.attributes)
        # much that readers do not find, or take for something else, zarr-cm lets pass
        if isinstance(found, Fail) and not refused:
            yield dataclasses.replace(found, readers={})
        else:
            yield found


def _wrong_properties(node: Node) -> RuleOutput:
    declared = declared_here(node)
    family = multiscales.family(node.attributes)
    given: Any = node.attributes.get("multiscales")
    # an object without tiles may as well be one that lacks its layout
    other = (family == "OME-NGFF" and _pyramid_of_a_list(given) is None) or (
        family == "GeoZarr" and "tile_matrix_set" in given
    )
    of_others = known_conventions.MULTISCALES if other else None
    used = known_conventions.used(node.attributes, declared - {of_others})
    for known in used:
        if known not in declared:
            continue
        yield from _of_a_convention(node, known)
    if known_conventions.PROJ in declared:
        yield from code_in_other_letters(node)
        yield from several_systems(node)
        yield from code_is_none(node)
    yield from _other_spellings(node, declared)
    if known_conventions.SPATIAL in declared:
        yield from _affine_in_other_letters(node)
    for place, level in islice(levels(node), known_conventions.MOST_LEVELS):
        yield from of_a_level(node, place, level, declared)
    if known_conventions.MULTISCALES in declared and not other and isinstance(given, dict):
        yield from members_in_other_letters(node, ("multiscales",), given)
    layout = given.get("layout") if isinstance(given, dict) else None
    if isinstance(layout, list) and len(layout) > known_conventions.MOST_LEVELS:
        yield Undecided("budget")
    yield from _without_properties(node, {*used, of_others})
    if of_others in declared and of_others is not None:
        yield Fail(
            node.attribute_pointer("multiscales" if "multiscales" in node.attributes else "ome"),
            f"the multiscales convention is declared, but the attribute has the form of {family}",
            severity="warning",
        )


def _of_a_convention(node: Node, known: Convention) -> Iterator[Fail]:
    """Report attributes that are not what the schema of one convention has, else those that it or zarr-cm has otherwise than its text."""
    if known is known_conventions.PROJ and (told := list(as_the_text_has_it(node))):
        yield from told
        return
    errors = known_conventions.property_errors(known, _without_null(node, known))
    wrong = list(islice(errors, MOST_VIOLATIONS))
    for place, message in wrong:
        if known is known_conventions.GEOLOCATION:
            yield _of_positions(node, place, message)
            continue
        pointer = node.attribute_pointer(*place)
        yield Fail(pointer, f"{known.name.rstrip(':')}: {message}", fix=_right(node, place))
    if not wrong:
        yield from _as_zarr_cm_has_it(node, known)


def _pyramid_of_a_list(given: Any) -> dict[str, Any] | None:
    """Return the pyramid that is meant by a list, as OME-NGFF has it, of what this convention has: of pyramids the first, of levels that of these."""
    found = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    if (pyramid := next((one for one in found if "layout" in one), None)) is not None:
        return pyramid
    return {"layout": given} if any("asset" in one for one in found) else None


def _right(node: Node, place: tuple[str | int, ...]) -> FixMaker | None:
    """Return the fix that writes what is meant: the code of a number, an object of PROJJSON, a pyramid for a list of it, the path of a level, nothing in place of null."""
    pointer = node.attribute_pointer(*place)
    if place == ("proj:code",):
        given = node.attributes.get("proj:code")
        code = of_epsg(given) or crs.code(given)
        return set_to(pointer, code, "suggest") if code is not None else None
    if place in (("proj:wkt2",), ("proj:projjson",)):
        return as_it_is_described(node, str(place[0]))
    if place in (("spatial:transform",), ("spatial:registration",)):
        right = _of_spatial(node.attributes[str(place[0])])
        return set_to(pointer, right, "suggest") if right is not None else None
    listed_here: Any = node.attributes.get("multiscales")
    if place == ("multiscales",) and (pyramid := _pyramid_of_a_list(listed_here)) is not None:
        several = listed_here[1:] and pyramid in listed_here
        return None if several else set_to(pointer, pyramid, "suggest")
    if place[-1] in ("asset", "derived_from", "transform") and len(place) == 4:
        return partial(_of_the_level, pointer, place[2], str(place[3]))
    return None


def _of_the_level(pointer: str, number: Any, member: str, group: Node) -> Draft | None:
    """Return the fix of a member of a level: a scale for factors, the path of the level, nothing in place of null."""
    layout = group.attributes["multiscales"]["layout"]
    level = layout[number]
    given, put = level.get(member), replace if member in level else add
    if member == "transform":
        factors = level.get("factors")  # of the GeoZarr draft
        right = given is None and isinstance(factors, list) and all(map(is_number, factors))
        return Draft("suggest", (put(pointer, {"scale": factors}),)) if right else None
    if given is None and member == "derived_from":
        return Draft("suggest", (remove(pointer),), "a level without it is derived from no other")
    if given is None:  # as the GeoZarr draft calls it
        given = level.get("path", level.get("id"))
    path = re.sub("/+", "/", str(given)).strip("/") if type(given) in (str, int) else ""
    if not path or ".." in path or group.hierarchy.get(below(group.path) + path) is None:
        return None
    if member == "asset" and path in (multiscales.member(one, "asset") for one in layout):
        return None  # that of another level
    return Draft("suggest", (put(pointer, path),))


_REGISTRATIONS = {
    **dict.fromkeys(("pixel", "cell", "area", "pixelisarea"), "pixel"),
    **dict.fromkeys(("node", "grid", "gridline", "point", "pixelispoint"), "node"),
}
"""What the two kinds of registration are called in the text, in GeoTIFF and in GMT, in small letters."""


def _of_spatial(given: Any) -> Any:
    """Return a transform without the last row of its matrix, which is left out, or a registration by its name; None of anything else."""
    if isinstance(given, list):
        return given[:6] if given[6:] == [0, 0, 1] else None
    return _REGISTRATIONS.get(given.lower()) if isinstance(given, str) else None


_OF_GEOLOCATION = {1: ("geodetic", "planar"), 2: ("x", "y", "crs")}
"""Members of the objects of the geolocation convention, by how many names lead there."""


def _of_positions(node: Node, place: tuple[str | int, ...], message: str) -> Fail:
    """Report what geolocation does not allow, with the name that is meant where one is spelled nearly so."""
    given: Any = node.attributes
    for step in place:
        given = given[step]
    known = _OF_GEOLOCATION.get(len(place), ()) if isinstance(given, dict) else ()
    free, fix = [name for name in known if name not in given], None
    for name in given if free else ():
        if name not in known and (near := get_close_matches(name.lower(), free, 1, 0.75)):
            wrong, right = (node.attribute_pointer(*place, one) for one in (name, near[0]))
            message += f"; did you mean {near[0]} by {json_text(name)}?"
            fix = call_it(wrong, right)
            break
    pointer = node.attribute_pointer(*place)
    return Fail(pointer, f"geolocation: {message}", fix=fix, covers=("CS-GEO-002",))


def _without_null(node: Node, known: Convention) -> Mapping[str, Any]:
    """Return the attributes of a node, of proj: without null where there is something else: the text allows it there."""
    attributes = node.attributes
    if known is not known_conventions.PROJ or all(attributes.get(n) is None for n in known.keys):
        return attributes
    return {
        name: attributes[name]
        for name in attributes
        if attributes[name] is not None or name not in known.keys
    }


_MISNAMED = {"proj:wkt": "proj:wkt2", "proj:json": "proj:projjson", "multiscale": "multiscales"}
"""Attributes that are called nearly as a convention calls its own, in small letters, and what these are called."""


def _meant(node: Node, declared: Container[Convention | None]) -> dict[str, tuple[Convention, str]]:
    """Return attributes that have the name of one that a declared convention has but for capitals, underscores and the colon, or nearly so."""
    names = {
        known_conventions.letters(key): (known, key)
        for known in known_conventions.KNOWN
        if known in declared
        for key in known.keys
    }
    for wrong, right in _MISNAMED.items():
        meant = names.get(known_conventions.letters(right))
        if meant is not None and meant[0].keys.isdisjoint(node.attributes):
            names[known_conventions.letters(wrong)] = meant
    found = {
        name: names[one]
        for name in node.attributes
        if (one := known_conventions.letters(name)) in names
    }
    # what lacks the prefix may be another program's copy of what is there
    return {
        name: (known, right)
        for name, (known, right) in found.items()
        if name != right and (right not in node.attributes or name.count(":") == right.count(":"))
    }


def _other_spellings(node: Node, declared: Container[Convention | None]) -> Iterator[Fail]:
    """Warn of attributes that have nearly the name of one that a declared convention has."""
    for name, (known, right) in _meant(node, declared).items():
        wrong, at = node.attribute_pointer(name), node.attribute_pointer(right)
        yield Fail(
            wrong,
            f"{known.name.rstrip(':')}: {json_text(name)} is not {right}, which readers look for",
            severity="warning",
            fix=None if right in node.attributes else call_it(wrong, at),
        )


def _affine_in_other_letters(node: Node) -> Iterator[Fail]:
    """Warn of the one type of transform that is defined where it is not quite called that: any other text is a custom type."""
    name = "spatial:transform_type"
    given, pointer = node.attributes.get(name), node.attribute_pointer(name)
    if isinstance(given, str) and given != "affine" and given.strip().lower() == "affine":
        yield Fail(
            pointer,
            f'spatial: transform_type is {json_text(given)}, which readers take for a type of its own: the one that is defined is "affine"',
            severity="warning",
            fix=lambda _node: Draft("suggest", (replace(pointer, "affine"),)),
        )


def _without_properties(node: Node, used: Container[Convention | None]) -> Iterator[Fail]:
    """Note conventions that are declared and ask for attributes of which the node has none, not in another attribute either."""
    misspelt = {known for known, _ in _meant(node, declared_here(node)).values()}
    for i, entry in entries(node):
        known = known_conventions.identify(entry)
        if known is None or not known.keys or known in used or known_conventions.at_odds(entry):
            continue
        if known in misspelt:
            continue  # which is reported
        # what a group says of the reference system its arrays have as well, and no groups
        above = node.parent if isinstance(node, Array) else None
        parent = node.hierarchy.node_if_loaded(above) if above else None
        if parent is not None and known.keys & parent.attributes.keys():
            continue
        error = known_conventions.property_error(known, node.attributes)
        if error is None or any(True for _ in _members(node.attributes, known.keys)):
            continue
        code = node.attributes.get("proj:epsg") if known is known_conventions.PROJ else None
        if code is not None:
            yield of_stac(node, code)
        elif known is not known_conventions.PROJ or not _has_place_of_proj(node):
            yield Fail(
                pointer_to(node, i),
                f"{known.name.rstrip(':')} is declared, and this node has {_none_of(known, error)}",
                severity="info",
            )


def _none_of(known: Convention, error: str) -> str:
    """Return what a node lacks that declares a convention, in words: one attribute, or all of some."""
    single = known.keys == {known.name}
    return "no attribute of that name" if single else f"none of its attributes: {error}"


def _has_place_of_proj(node: Node) -> bool:
    """Whether other conventions may have attributes of proj: there, in a member that is wrong, or where a reference leads.

    What is wrong with them is reported by the rules of cs.
    """
    declared, attributes = declared_here(node), node.attributes
    if known_conventions.CS in declared or is_cs(attributes.get("cs")):
        systems = attributes["cs"]["crs"] if is_cs(attributes.get("cs")) else None
        if "cs" in attributes and not (isinstance(systems, list) and systems):
            return True
        if any(is_reference(one) or not _has_axes(one) for one in systems or ()):
            return True
        shared = attributes.get("crs")
        if "crs" in attributes and not (is_shared(shared) or is_system(shared)):
            return True
        if any(True for _ in _members(attributes, {"id"})):
            return True
    if known_conventions.GEOLOCATION not in declared:
        return False
    located = list(_members(attributes, {"geolocation"}))
    return not all(map(_is_located, located)) or any(True for _ in _members(located, {"id", "crs"}))


def _is_located(given: Any) -> bool:
    """Whether an object of geolocation has positions."""
    pairs = list(given.values()) if isinstance(given, dict) else []
    return bool(pairs) and all(isinstance(pair, dict) and "x" in pair for pair in pairs)


def _has_axes(given: Any) -> bool:
    return isinstance(given, dict) and "axes" in given


def _members(given: Any, names: Container[str]) -> Iterator[Any]:
    """Yield the members of some names in a JSON value, at any depth."""
    rest = [given]
    while rest:  # a document may be nested deeper than Python calls functions
        one = rest.pop()
        if isinstance(one, dict):
            yield from (value for name, value in one.items() if name in names)
            rest += one.values()
        elif isinstance(one, list):
            rest += one


def _as_zarr_cm_has_it(node: Node, known: Convention) -> Iterator[Fail]:
    """Note what is right by the text of a convention, and what zarr-cm takes only in another spelling."""
    for name in filter(known.keys.__contains__, node.attributes):
        given = node.attributes[name]
        right = known_conventions.as_zarr_cm_takes(name, given)
        if repr(given) != repr(right):  # 20 and 20.0 are equal
            yield Fail(
                node.attribute_pointer(name),
                f"{name} {json_text(given)} is right by the text of {known.name}, and zarr-cm takes {json_text(right)} alone",
                severity="info",
                fix=set_to(node.attribute_pointer(name), right, "safe"),
            )
