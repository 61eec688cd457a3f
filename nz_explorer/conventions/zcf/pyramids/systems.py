"""zarr-conventions/proj: the levels of a pyramid are in one reference system, which a scale does not change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import levels
from nz_explorer.conventions.zcf.pyramids.grids import is_pyramid, node_of
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import crs


@dataclass(frozen=True, slots=True)
class _System:
    """A reference system, and where it is said.

    Attributes
    ----------
    node : Node
        The node that says it.
    attribute : str
        The attribute of proj:.
    code : str
        Its code.
    """

    node: Node
    attribute: str
    code: str

    def is_that_of(self, other: _System) -> bool:
        """Whether two systems are the same, but for the order of longitudes and latitudes."""
        return self.code == other.code or {self.code, other.code} <= crs.LON_LAT


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=is_pyramid,
)
def levels_are_in_one_system(group: Group) -> Iterator[Fail]:
    """Warn of a level in another reference system than the pyramid says for all its levels, or than the level it is derived from.

    By scale and translation there is no way from one system to another. Arrays may have one of their own, and then those
    that are derived from them have it as well.
    """
    whole = _system(group)
    nodes = dict(_nodes(group))
    for asset, (node, source) in nodes.items():
        own = _system(node)
        other = nodes[source][0] if source in nodes and source != asset else None
        if own is not None and isinstance(node, Group) and whole is not None:
            if not own.is_that_of(whole):
                yield _in_two(own, whole, ", which is for all levels,")
                continue
        elif own is not None and isinstance(node, Group):
            theirs = _system(other) if other is not None else None
            if theirs is not None and not own.is_that_of(theirs):
                yield _derived(own, theirs)
                continue
        if other is not None:
            yield from islice(_arrays_in_two(node, other, whole), 1)


def _nodes(group: Group) -> Iterator[tuple[str, tuple[Node, Any]]]:
    """Yield the levels of a pyramid that are there, by their paths, each with the path of what it is derived from."""
    for _, level in islice(levels(group), known_conventions.MOST_LEVELS):
        node = node_of(group, asset := level.get("asset"))
        if node is not None and node is not group:
            source = level.get("derived_from")
            yield str(asset), (node, source if isinstance(source, str) else None)


def _arrays_in_two(node: Node, source: Node, whole: _System | None) -> Iterator[Fail]:
    """Yield arrays, a level or in one, in another system than those of the same name that they are derived from."""
    if isinstance(node, Array):
        pairs = [(node, source)] if isinstance(source, Array) else []
    else:
        there = _arrays(source)
        pairs = [(one, there[name]) for name, one in _arrays(node).items() if name in there]
    above, beside = (
        _first([None if isinstance(level, Array) else _system(level), whole])
        for level in (node, source)
    )
    for one, other in pairs:
        own, theirs = _first([_system(one), above]), _first([_system(other), beside])
        if own is None or theirs is None or own.is_that_of(theirs):
            continue
        if own.node is one:
            yield _derived(own, theirs)
        elif theirs.node is other:
            yield _in_two(
                theirs, own, f", in which {one.path} is, that is derived of it by a scale,"
            )


def _first(found: list[_System | None]) -> _System | None:
    return next((one for one in found if one is not None), None)


def _arrays(node: Node) -> dict[str, Array]:
    children = node.hierarchy.children(node) if isinstance(node, Group) else ()
    return {child.name: child for child in children if isinstance(child, Array)}


def _derived(own: _System, theirs: _System) -> Fail:
    return _in_two(own, theirs, ", of which it is derived by a scale,")


def _in_two(own: _System, theirs: _System, why: str) -> Fail:
    return Fail(
        own.node.attribute_pointer(own.attribute),
        f"{own.attribute} of {own.node.path} is that of {own.code}, and {theirs.attribute} of {theirs.node.path}{why}"
        f" that of {theirs.code}",
        path=own.node.path,
        related=(theirs.node.path,),
    )


def _system(node: Node) -> _System | None:
    """Return the reference system that a node says itself, where it has a code."""
    return next((_System(node, name, code) for name, code in crs.codes(node.attributes)), None)
