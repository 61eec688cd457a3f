"""zarr-conventions/multiscales: the levels of a pyramid are there, and their members have the names of the text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.conventions.zcf.known_conventions import MOST_LEVELS
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft, add, move, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.multiscales import family
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention

MEMBERS = ("asset", "derived_from")


def _has_layout(node: Node) -> bool:
    return family(node.attributes) == "multiscales"


def _layout(group: Node) -> list[Any]:
    """Return the levels that are looked at; what is no list of them is ZCF-SCHEMA-001."""
    layout = group.attributes["multiscales"]["layout"]
    return layout[:MOST_LEVELS] if isinstance(layout, list) else []


@rule("ZCF-MS-001", on="group", needs=("attributes",), when=_has_layout)
def levels_are_there(group: Group) -> RuleOutput:
    """Require what a layout names to be a group or an array below the group; what is no path is ZCF-SCHEMA-001."""
    levels = _layout(group)
    told = set()
    for member in MEMBERS:
        for i, level in enumerate(levels):
            given = level.get(member) if isinstance(level, Mapping) else None
            if not _is_path(given) or given in told or given == ".":
                continue  # a period is the group itself, which is there
            path = below(group.path) + given
            # the hierarchy goes by a backslash as zarr-python does, other readers do not
            if "\\" in given or group.hierarchy.get(path) is None:
                told.add(given)
                pointer = group.attribute_pointer("multiscales", "layout", i, member)
                why = (
                    "has a period as the name of a node, which Zarr has not"
                    if "." in given.split("/")
                    else "has a backslash, and paths of Zarr have a slash between nodes"
                    if "\\" in given
                    else f"leads to {path}, and no group or array is there"
                )
                yield Fail(
                    pointer,
                    f"{member} {json_text(given)} of level {i} {why}",
                    severity=None if member == "asset" else "warning",
                    fix=_nearest(pointer, i, member, given),
                )
    if levels and len(group.attributes["multiscales"]["layout"]) > len(levels):
        yield Undecided("budget")


@rule("ZCF-MS-001", on="group", needs=("attributes",), when=_has_layout)
def one_path_each(group: Group) -> Iterator[Fail]:
    """Warn of levels that have the path of another: each object is a level of its own."""
    first: dict[str, int] = {}
    for i, level in enumerate(_layout(group)):
        given = level.get("asset") if isinstance(level, Mapping) else None
        if not _is_path(given) or given == level.get("derived_from"):
            continue  # which is reported otherwise
        if first.setdefault(given, i) != i:
            yield Fail(
                group.attribute_pointer("multiscales", "layout", i, "asset"),
                f"asset {json_text(given)} of level {i} is that of level {first[given]} already",
                severity="warning",
            )


@rule("ZCF-MS-001", on="group", needs=("attributes",), when=_has_layout)
def levels_have_data(group: Group) -> Iterator[Fail]:
    """Warn of a level that is a group with nothing in it, where another has data, as when a writer was stopped."""
    found: dict[int, Node] = {}
    for i, level in enumerate(_layout(group)):
        given = level.get("asset") if isinstance(level, Mapping) else None
        node = group.hierarchy.get(below(group.path) + given) if _is_path(given) else None
        if node is not None and node is not group:
            found[i] = node
    filled = next(filter(_arrays_of, found.values()), None)
    if filled is None:
        return
    for i, node in found.items():
        if (
            isinstance(node, Group)
            and not node.hierarchy.children(node)
            and node.listing_problem is None
        ):
            yield Fail(
                group.attribute_pointer("multiscales", "layout", i, "asset"),
                f"level {i} is {node.path}, and nothing is in this group; {filled.path} has data",
                severity="warning",
                readers={},
                related=(node.path,),
            )


def _arrays_of(level: Node) -> list[Array]:
    """Return the arrays directly in a level; a level that is an array is its own."""
    inside = level.hierarchy.children(level) if isinstance(level, Group) else [level]
    return [one for one in inside if isinstance(one, Array)]


@rule("ZCF-MS-001", on="group", needs=("attributes",), when=_has_layout)
def levels_are_listed(group: Group) -> Iterator[Fail]:
    """Note what is beside the levels and has the arrays of one, in other lengths, as a level that was added and not listed."""
    looked_at = _layout(group)
    paths = (level.get("asset") for level in looked_at if isinstance(level, Mapping))
    below_it = [path for path in paths if _is_path(path) and path != "."]
    nodes = [group.hierarchy.get(below(group.path) + path) for path in below_it]
    if None in nodes or looked_at != group.attributes["multiscales"]["layout"]:
        return  # which may be that level under a wrong name, and is reported, or one that is not looked at
    known = {node.path: node for node in nodes if node is not None}
    told = known.keys() | {above for path in known for above in all_above(path)}
    there = [_grids(node) for node in known.values()]
    for parent in dict.fromkeys(node.parent for node in known.values()):
        holder = None if parent is None else group.hierarchy.get(parent)
        for other in () if holder is None else group.hierarchy.children(holder):
            if other.path in told or "multiscales" in other.attributes:
                continue
            own = _grids(other)
            if own and all(_in_other_lengths(name, own[name], there) for name in own):
                yield Fail(
                    group.attribute_pointer("multiscales", "layout"),
                    f"layout does not list {other.path}, which has the arrays of its levels in other lengths: readers find no such level",
                    severity="info",
                    related=(other.path,),
                    fix=_list_it,
                )


def _grids(node: Node) -> dict[str, tuple[Any, Any]]:
    """Return the names of dimensions, and the shape, of the arrays of two dimensions and more that a level has, or is."""
    return {
        array.name if array is not node else "": (
            (array.dimension_names, array.data_type.text),
            array.shape,
        )
        for array in _arrays_of(node)
        if (array.ndim or 0) > 1 and array.dimension_names
    }


def _in_other_lengths(
    name: str, own: tuple[Any, Any], there: list[dict[str, tuple[Any, Any]]]
) -> bool:
    """Whether levels have an array of a name and of its dimensions, and none of them in its lengths."""
    alike = [grids[name] for grids in there if name in grids and grids[name][0] == own[0]]
    return bool(alike) and own not in alike


def _list_it(_node: Node) -> Draft:
    return Draft("suggest", note="add it to layout, with what it is derived_from, if it is a level")


@rule("ZCF-MS-001", on="group", needs=("attributes",), when=_has_layout)
def derived_from_others(group: Group) -> Iterator[Fail]:
    """Require levels to be derived from others: from one that is there already, in the end."""
    for i, way in _circles(_layout(group)):
        by = "" if len(way) == 1 else f", by way of {listed(map(json_text, way[1:]))}"
        yield Fail(
            group.attribute_pointer("multiscales", "layout", i, "derived_from"),
            f"level {json_text(way[0])} is derived from itself{by}",
            severity="warning",
        )


def _circles(levels: list[Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers of levels that are derived from themselves, and the paths on the way there."""
    sources = {
        level["asset"]: level["derived_from"]
        for level in levels
        if isinstance(level, Mapping)
        and all(isinstance(level.get(member), str) for member in MEMBERS)
    }
    for i, level in enumerate(levels if sources else []):
        given = level.get("asset") if isinstance(level, Mapping) else None
        if not isinstance(given, str) or "derived_from" not in level:
            continue
        # a level's own source comes first: another one may have the same path
        way, source = [given], level["derived_from"]
        while isinstance(source, str) and source not in way:
            way.append(source)
            source = sources.get(source)
        if source == given:
            yield i, way


@rule("ZCF-SCHEMA-001", on="group", needs=("attributes", "conventions list"), when=_has_layout)
def factors_are_as_many(group: Group) -> Iterator[Fail]:
    """Warn where scale and translation have more numbers, or fewer, than others of the pyramid: there is one for each axis."""
    if known_conventions.MULTISCALES not in declared_here(group):
        return
    first: tuple[str, int] | None = None
    for i, level in enumerate(_layout(group)):
        inner = level.get("transform") if isinstance(level, Mapping) else None
        transform = inner if isinstance(inner, Mapping) else {}
        for member in ("scale", "translation"):
            given = transform.get(member)
            if not isinstance(given, list):
                continue  # absent, or wrong by the schema
            whose = f"{member} of level {i}"
            if first is None:
                first = whose, len(given)
            elif first[1] != len(given):
                yield Fail(
                    group.attribute_pointer("multiscales", "layout", i, "transform", member),
                    f"multiscales: {whose} has {plural(len(given), 'number')}, and {first[0]} has {first[1]}:"
                    " there is one for each axis",
                    severity="warning",
                    readers={},
                )


_PATH = re.compile(r"(?!.*\.\.)[^/]+(/[^/]+)*", re.DOTALL)
"""What the schema of multiscales takes for a path."""


def _is_path(given: Any) -> TypeGuard[str]:
    return isinstance(given, str) and _PATH.fullmatch(given) is not None


def _nearest(pointer: str, number: int, member: str, given: str) -> FixMaker:
    """Return the fix that writes the path that is nearly the one that is given, or else says what can be done."""

    def fix(group: Node) -> Draft:
        levels = _layout(group)
        names = [name for name in _paths_below(group) if _may_be(levels, number, member, name)]
        last = [name for name in names if name.rpartition("/")[2] == given.rpartition("/")[2]]
        slashed = given.replace("\\", "/")
        near = last if len(last) == 1 else difflib.get_close_matches(given, names, 1)
        if slashed != given and slashed in names:
            near = [slashed]
        if near:
            # a path is told once, so what is derived from the same one is put right with it
            others = (
                replace(group.attribute_pointer("multiscales", "layout", i, MEMBERS[1]), near[0])
                for i, one in enumerate(levels)
                if isinstance(one, Mapping)
                and one.get(MEMBERS[1]) == given
                and (i, MEMBERS[1]) != (number, member)
                and one.get("asset") != near[0]
            )
            return Draft("suggest", (replace(pointer, near[0]), *others))
        note = (
            "write that level, or take it out of layout"
            if member == "asset"
            else "name what the level was made from, or leave derived_from out"
        )
        return Draft("suggest", note=note)

    return fix


def _may_be(levels: list[Any], number: int, member: str, name: str) -> bool:
    """Whether a path can stand there: it is no other level's, and no level is derived from itself then."""
    changed = [dict(one, **{member: name}) if i == number else one for i, one in enumerate(levels)]
    assets = [one.get("asset") for one in changed if isinstance(one, Mapping)]
    twice = member == "asset" and assets.count(name) > 1
    return not twice and not any(True for _ in _circles(changed))


def _paths_below(group: Node) -> list[str]:
    """Return the paths of what is in a group, and of what is in its groups."""
    found = []
    for child in group.hierarchy.children(group):
        found.append(child.name)
        found += [f"{child.name}/{inner.name}" for inner in group.hierarchy.children(child)]
    return found


@rule("ZCF-MS-002", on="array", needs=("attributes",), when=_has_layout)
def of_a_group(array: Array) -> Iterator[Fail]:
    """Note multiscales of an array, which has no levels."""
    yield Fail(
        array.attribute_pointer("multiscales"),
        "multiscales belongs to the group that holds the levels, and means nothing on an array",
    )


_OF_A_PYRAMID = ("layout", "resampling_method")
_OF_A_LEVEL = ("asset", "derived_from", "transform", "resampling_method")
_OF_A_TRANSFORM = ("scale", "translation")
_OF_SPATIAL = ("spatial:transform", "spatial:shape")


def of_a_level(
    node: Node,
    place: tuple[str | int, ...],
    level: dict[str, Any],
    declared: Container[Convention | None],
) -> Iterator[Fail]:
    """Judge what other conventions have at a level of a pyramid, where it says where the level is.

    Parameters
    ----------
    node : Node
        With the pyramid.
    place : tuple
        Where the level is in the attributes.
    level : dict
        The level.
    declared : container of Convention
        Conventions that the node declares.
    """
    for known in known_conventions.used(level):
        if known in declared:
            for inner, message in known_conventions.property_errors(known, level):
                yield Fail(
                    node.attribute_pointer(*place, *inner), f"{known.name.rstrip(':')}: {message}"
                )
    if known_conventions.SPATIAL in declared:
        yield from members_in_other_letters(node, place, level, _OF_SPATIAL)
    if known_conventions.MULTISCALES not in declared:
        return
    inside: Any = level.get("transform")
    if isinstance(inside, dict):
        yield from members_in_other_letters(node, (*place, "transform"), inside, _OF_A_TRANSFORM)
    scale = inside.get("scale") if isinstance(inside, dict) else None
    if isinstance(scale, list) and 0 in scale:
        yield Fail(
            node.attribute_pointer(*place, "transform", "scale"),
            f"multiscales: scale of level {place[-1]} is {json_text(scale)}: 0 times any coordinate is 0",
            severity="warning",
        )
    yield from _members_of_a_level(node, place, level)
    for name in _OF_SPATIAL if isinstance(inside, dict) else ():
        if name in inside:
            wrong = node.attribute_pointer(*place, "transform", name)
            right = node.attribute_pointer(*place, name)
            yield Fail(
                wrong,
                f"multiscales: {name} is inside transform, which says how levels differ; where a level is belongs beside it",
                severity="warning",
                fix=None if name in level else call_it(wrong, right),
            )


def members_in_other_letters(
    node: Node,
    place: tuple[str | int, ...],
    given: dict[str, Any],
    names: tuple[str, ...] = _OF_A_PYRAMID,
) -> Iterator[Fail]:
    """Warn of members of a pyramid, of a level or of a transform that are a name of the text but for capitals, underscores and a plural, or say translate.

    Parameters
    ----------
    node : Node
        With the pyramid.
    place : tuple
        Where the object with the members is in the attributes.
    given : dict
        That object.
    names : tuple of str
        Members that the text has there.
    """
    plain = {known_conventions.letters(name): name for name in names}
    if "translation" in names:
        plain["translate"] = "translation"  # as shapely and others call what is done
    text = "spatial" if names is _OF_SPATIAL else "multiscales"
    whose = "" if names is _OF_A_PYRAMID else f" of level {place[2]}"
    for name in given:
        right = plain.get(known_conventions.letters(name).rstrip("s"), name)
        if right not in given:
            wrong, at = (node.attribute_pointer(*place, one) for one in (name, right))
            yield Fail(
                wrong,
                f"{text}: {json_text(name)}{whose} is not {right}, which readers look for",
                severity="warning",
                fix=call_it(wrong, at),
            )


def _members_of_a_level(
    node: Node, place: tuple[str | int, ...], level: dict[str, Any]
) -> Iterator[Fail]:
    """Warn of scale and translation beside transform, and of members that are nearly called as the text calls its own."""
    inside = level.get("transform", {})
    yield from members_in_other_letters(node, place, level, _OF_A_LEVEL)
    for name in _OF_A_TRANSFORM:
        if isinstance(level.get(name), list):
            free = isinstance(inside, dict) and name not in inside
            yield Fail(
                node.attribute_pointer(*place, name),
                f"multiscales: {name} of level {place[-1]} is beside transform; how a level differs from its source belongs inside"
                " transform, where readers look for it",
                severity="warning",
                fix=_put_inside(node, place, name, add_it="transform" not in level)
                if free
                else None,
            )


def _put_inside(node: Node, place: tuple[str | int, ...], name: str, *, add_it: bool) -> FixMaker:
    transform = node.attribute_pointer(*place, "transform")
    moved = move(node.attribute_pointer(*place, name), f"{transform}/{name}")
    return lambda _node: Draft("suggest", (add(transform, {}), moved) if add_it else (moved,))


def call_it(wrong: str, right: str) -> FixMaker:
    """Return the fix that moves a value to where readers look for it.

    Parameters
    ----------
    wrong, right : str
        Pointers to where it is, and where it is to be.
    """
    return lambda _node: Draft("suggest", (move(wrong, right),))
