"""CF: attributes that name other arrays lead to them (CF-1.11, 5 Coordinate Systems, 7.1 Cell Boundaries)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, is_candidate, paths
from nz_explorer.model.dialects.multiscales import level_names, levels
from nz_explorer.model.dimensions import unlike_above
from nz_explorer.model.named_array import named_in
from nz_explorer.model.roles import names_in
from nz_explorer.text.phrases import article, listed, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node

MULTISCALES = {"multiscales", "ome"}
"""Attributes by which a group may name the levels of a pyramid."""

DECODED = ("coordinates", "grid_mapping")
"""What readers need to know where the values lie."""
OTHERS = (
    "bounds",
    "climatology",
    "ancillary_variables",
    "cell_measures",
    "formula_terms",
)
BOUNDS = ("bounds", "climatology")
OWN = (*BOUNDS, "ancillary_variables")
"""Attributes that often name what is for this array alone: ``v10_qc`` is no misspelled ``u10_qc``."""
NUMBERS = re.compile(r"\d+")
"""Numbers of a name, which are not misspelled: at 10 m is not at 2 m."""
MOST_NEAR = 8
"""Names that are spelled nearly as one that leads nowhere, of which it is tried which is meant."""


def _leads_nowhere(group: Group, array: Array, attribute: str) -> list[str]:
    external = group.hierarchy.root.attributes.get("external_variables")
    elsewhere = set(external.split()) if isinstance(external, str) else set()
    return [
        word
        for word in names_in(array, attribute)
        if word not in elsewhere and not is_there(group, word)
    ]


def is_there(group: Group, word: str) -> bool:
    """Whether a name leads to an array of the group or of one above it, or a path to one (CF-1.11, 2.7 Groups).

    Parameters
    ----------
    group : Group
        The group of the array with the name.
    word : str
        The name, or a path.
    """
    return named_in(group.hierarchy, group.path, word) is not None


def _is_here(group: Group, word: str) -> bool:
    return isinstance(group.hierarchy.node_if_loaded(paths.below(group.path) + word), Array)


def _inherited(group: Group, array: Array, attribute: str) -> Iterator[Fail]:
    """Note what is in a group above alone, where CF looks and xarray does not."""
    for word in names_in(array, attribute) if group.path != "/" else ():
        if "/" in word or _is_here(group, word):
            continue
        if (other := named_in(group.hierarchy, paths.above(group.path), word)) is None:
            continue
        yield Fail(
            array.attribute_pointer(attribute),
            f"{attribute} names {json_text(word)}, which is {other.path}: xarray opens each group by itself, and does not"
            " find it there",
            severity="info",
            impact="advice",
            path=array.path,
            related=(other.path,),
            fix=lambda _node: Draft(
                "suggest",
                note=f"copy {other.path} to {group.path}, or assign it after opening both",
            ),
            rule="CF-REF-001",
        )
        return


@rule(
    "CF-REF-003",
    on="array",
    needs=("attributes",),
    when=lambda array: not isinstance(array.attributes.get("coordinates", ""), str),
)
def coordinates_are_text(array: Array) -> Iterator[Fail]:
    """Require a text of names with blanks between them."""
    given = array.attributes["coordinates"]
    yield Fail(
        array.attribute_pointer("coordinates"),
        f"coordinates is {article(json_type(given))}, not a text with the names of arrays",
        readers={
            "xarray": f"raises AttributeError: '{type(given).__name__}' object has no attribute 'split', and opens"
            " nothing of the group"
        },
        fix=_as_text,
    )


def _as_text(node: Node) -> Draft:
    given = node.attributes.get("coordinates")
    pointer = node.attribute_pointer("coordinates")
    if isinstance(given, list) and given and all(isinstance(name, str) for name in given):
        return Draft("safe", (replace(pointer, " ".join(given)),))
    return Draft("suggest", (remove(pointer),))


@rule("CF-COORD-002", on="members")
def no_scalar_like_a_dimension(group: Group) -> Iterator[Fail]:
    """Require that no scalar is called like a dimension."""
    arrays = group.arrays
    scalars = [array for array in arrays if array.shape == ()]
    users: dict[str | None, str] = {}
    for array in arrays if scalars else ():
        for name in array.dimension_names or ():
            users.setdefault(name, array.path)
    for array in scalars:
        if array.name in users:
            yield Fail(
                "",
                f"this array is a scalar, and {users[array.name]} has a dimension of its name",
                path=array.path,
                related=(users[array.name],),
                readers={
                    "xarray": f"raises ValueError: dimension '{array.name}' already exists as a scalar variable, and"
                    " cannot open the group"
                },
                fix=lambda _node: Draft(
                    "suggest", note="rename the scalar or the dimension; then both can be read"
                ),
            )


@rule("CF-REF-001", "CF-REF-002", on="members")
def references_lead_somewhere(group: Group) -> Iterator[Fail]:
    """Require the arrays that others name: coordinates and grid mappings, without which values lie nowhere, and the rest."""
    for array in group.with_attribute(*DECODED, *OTHERS):
        attributes = array.attributes
        for attribute in (*DECODED, *OTHERS):
            if attribute not in attributes:
                continue
            missing = _leads_nowhere(group, array, attribute)
            if not missing:
                if attribute in DECODED:
                    yield from _inherited(group, array, attribute)
                continue
            are = "is no array" if len(missing) == 1 else "are no arrays"
            within = "" if any("/" in name for name in missing) else f" of {group.path}"
            yield Fail(
                array.attribute_pointer(attribute),
                f"{attribute} names {listed(map(json_text, missing))}, which {are}{within}",
                fix=named_nearly(group, array.path, attribute, missing),
                path=array.path,
                rule="CF-REF-001" if attribute in DECODED else "CF-REF-002",
            )


def named_nearly(group: Group, array: str, attribute: str, missing: list[str]) -> FixMaker:
    """Return the fix that names what is there: an array that is spelled nearly so, or the one grid mapping.

    Parameters
    ----------
    group : Group
        The group whose arrays are meant.
    array : str
        Path of the array with the attribute.
    attribute : str
        The attribute, which names arrays.
    missing : list of str
        The names that lead nowhere.
    """
    path = group.path

    def fix(node: Node) -> Draft | None:
        holder = node.hierarchy.node_if_loaded(array)
        given = None if holder is None else holder.attributes.get(attribute)
        if not isinstance(holder, Array) or not isinstance(given, str):
            return None
        spaced = [child.name for child in group.arrays if not _is_one_word(child.name)]
        if cut := [n for n in spaced if f" {n} " in f" {given} " or "_".join(n.split()) in missing]:
            note = f"rename {listed(map(json_text, cut))}: blanks separate the names in {attribute}"
            return Draft("suggest", note=note, node=holder)
        names = [child.name for child in group.arrays if _is_one_word(child.name)]
        mappings = [
            child.name
            for child in group.with_attribute("grid_mapping_name")
            if _is_one_word(child.name)
        ]
        arrays = {child.name: child for child in group.arrays}
        meant: dict[str, list[str]] = {}
        for word in dict.fromkeys(missing):
            taken = [name for found in meant.values() for name in found]
            near = (
                name
                for name in get_close_matches(word, names, MOST_NEAR, 0.75)
                if name not in taken
                and NUMBERS.findall(name) == NUMBERS.findall(word)
                and _may_be_meant(group, holder, attribute, arrays[name])
            )
            meant[word] = [*islice(near, 1)]
        if attribute == "grid_mapping" and len(mappings) == 1:
            words = given.split()
            of_mappings = [w[:-1] for w in words if w.endswith(":")] if ":" in given else words
            if mappings[0] not in of_mappings:
                meant |= {word: mappings for word in missing if word in of_mappings}
        if ":" in given:
            kept, whole = _keyed(given, meant, keys_are_names=attribute == "grid_mapping")
        else:
            words = given.split()
            if attribute == "grid_mapping" and mappings:
                words = words[:1] if words[0] not in meant else mappings[:1]
            right = [found[0] for word in words if (found := meant.get(word, [word]))]
            kept, whole = " ".join(right), len(right) == len(words)
        if whole:
            return Draft("suggest", set_attribute(holder, attribute, kept), node=holder)
        nowhere = "without the name, which leads nowhere" if kept else "it names no array"
        note = f"{nowhere}; better add {listed(missing)} to {path}"
        left_out = (remove(holder.attribute_pointer(attribute)),)
        operations = set_attribute(holder, attribute, kept) if kept else left_out
        return Draft("suggest", operations, note, node=holder)

    return fix


def _may_be_meant(group: Group, holder: Array, attribute: str, other: Array) -> bool:
    """Whether an array could be what an attribute means: one that it does not name yet, of dimensions that fit."""
    if other.name in names_in(holder, attribute):
        return False
    if attribute != "coordinates" and other.name == holder.name:  # those of WRF name themselves
        return False
    owners = [one.name for one in group.arrays if other.name.startswith(f"{one.name}_")]
    if attribute in OWN and owners and holder.name not in owners:
        return False
    if attribute == "grid_mapping":  # its dimensions, if it has any, mean nothing
        return True
    strange = len({*(other.dimension_names or ())} - {*(holder.dimension_names or ())})
    if attribute == "formula_terms":  # of a depth there are terms along the map as well
        return not strange or len(other.shape or ()) > 1
    return strange <= (attribute in BOUNDS)


def _is_one_word(name: str) -> bool:
    return name.split() == [name]


def _keyed(given: str, meant: Mapping[str, list[str]], *, keys_are_names: bool) -> tuple[str, bool]:
    """Return ``area: cell_area volume: v`` with the names that are meant, and whether nothing had to be left out.

    A key goes with its last name. The keys of a grid mapping are names themselves, and one alone needs no coordinates.
    """
    parts: list[tuple[str, list[str]]] = []
    for word in given.split():
        if word.endswith(":") or not parts:
            parts.append((word, []))
        else:
            parts[-1][1].append(word)
    kept, alone, whole = [], "", True
    for key, words in parts:
        own = meant.get(key.removesuffix(":"), [key.removesuffix(":")]) if keys_are_names else [key]
        right = [found[0] for word in words if (found := meant.get(word, [word]))]
        whole = whole and bool(own) and len(right) == len(words)
        if own and right:
            kept.append(f"{own[0].removesuffix(':')}: {' '.join(right)}")
        elif own and keys_are_names:
            alone = alone or own[0]
    return " ".join(kept) or alone, whole


_HANDED_DOWN = "xarray.open_datatree, where groups inherit coordinates, raises an error; open_zarr opens each group by itself"


def _is_told_alone(group: Group) -> bool:
    """Whether a group is below others, and is no level of a pyramid, of which one finding tells all levels."""
    above = ((path, group.hierarchy.node_if_loaded(path)) for path in paths.all_above(group.path))
    return group.path != "/" and not any(
        node is not None
        and MULTISCALES & node.attributes.keys()
        and group.path.removeprefix(paths.below(path)) in level_names(node.attributes)
        for path, node in above
    )


@rule("CF-COORD-003", on="members", when=lambda group: MULTISCALES & group.attributes.keys())
def levels_fit_coordinates_above(group: Group) -> Iterator[Fail]:
    """Note levels of a pyramid below one of another resolution, once for all of them."""
    found: dict[str, tuple[str, Array]] = {}
    for level in levels(group):
        node = group.hierarchy.node_if_loaded(level.path)
        if level.name and isinstance(node, Group):
            for name, length, array, other in unlike_above(node):
                said = f"{json_text(name)} has length {length} in {level.path}, and {other} at {array.path}"
                found.setdefault(level.path, (said, array))
    if found:
        said, array = next(iter(found.values()))
        others = len(found) - 1
        more = f"; so it is with {plural(others, 'other level')}" if others else ""
        yield Fail(
            "",
            f"dimension {said}, in a group above{more}: {_HANDED_DOWN}",
            related=(array.path, *found),
            fix=_own_names,
        )


@rule("CF-COORD-003", on="members", when=_is_told_alone)
def fits_coordinates_above(group: Group) -> Iterator[Fail]:
    """Note dimensions of another length than in a group above, which DataTree would hand down."""
    own = group.coordinates
    bare = []
    for name, length, array, other in unlike_above(group):
        if name not in own or not is_candidate(array):
            bare.append((f"{json_text(name)} has length {length} here, and {other}", array))
            continue
        yield Fail(
            "",
            f"this coordinate has {plural(length, 'value')}, and {array.path} has {other}: {_HANDED_DOWN}",
            related=(array.path,),
            path=own[name].path,
            fix=_own_names,
        )
    if bare:
        said, array = bare[0]
        yield Fail(
            "",
            f"dimension {said} at {array.path}, in a group above: {_HANDED_DOWN}",
            related=(array.path,),
            fix=_own_names,
        )


def _own_names(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="open it with xarray.open_groups, or give the dimension of one of the groups another name",
    )
