"""CF: whether a grid mapping names a reference system, and the one that other attributes of an array, or of its group, name.

CF knows nothing of proj:, and neither text says which of the two counts where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nz_explorer.conventions.cf.unreferenced import MAPPING
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import crs

_NORTHERN = re.compile(r"EPSG:(?:326|258|269)([0-9]{2})")
"""Zones of UTM of WGS 84, ETRS89 and NAD83."""
_TELLING = (*MAPPING, "_CRS", "esri_pe_string", "grid_name")
"""Attributes by which readers know a reference system: those of CF, GDAL, ESRI and xdggs."""


@rule("CF-MAP-008", on="members")
def one_reference_system(group: Group) -> Iterator[Fail]:
    """Note arrays with two reference systems, as a projection leaves the attribute of before; those that are alike are told once."""
    told = set()
    for array in group.with_attribute("grid_mapping"):
        if str(array.attributes["grid_mapping"]).count(":") > 1:
            continue  # one for the grid, and another one for latitudes and longitudes (CF-1.11, 5.6)
        first, *others = [*_systems(array)] or [(array, "", "")]
        other = next((one for one in others if _differ(first[2], one[2])), None)
        if other is None or (first[:2], other[:2]) in told:
            continue
        told.add((first[:2], other[:2]))
        node, name, code = other
        yield Fail(
            node.attribute_pointer(name),
            f"{name} of {node.path} is that of {code}, and {first[1]} of {first[0].path} that of {first[2]}: where a reader"
            f" places {array.path} depends on which of them it goes by",
            path=node.path,
            related=(array.path, first[0].path),
            readers={},
        )


@rule("CF-REF-006", on="members")
def grid_mapping_describes(group: Group) -> Iterator[Fail]:
    """Note arrays that are named as grid mappings and describe none, as is left of those that have lost their attributes."""
    there = {array.name: array for array in group.arrays}
    users: dict[str, list[Array]] = {}
    for array in group.with_attribute("grid_mapping"):
        given = array.attributes["grid_mapping"]
        mapping = there.get(given) if isinstance(given, str) else None
        if mapping is not None and not any(map(_is_told, (mapping, array, group))):
            users.setdefault(mapping.name, []).append(array)
    for name, arrays in users.items():
        mapping = there[name]
        if not all(document.ok for document in mapping.documents):
            continue  # what it says is not known
        yield Fail(
            "",
            f"grid_mapping of {arrays[0].path} names {mapping.path}, which has neither grid_mapping_name nor crs_wkt: readers of maps"
            " find no reference system",
            path=mapping.path,
            related=tuple(array.path for array in arrays[:5]),
            readers={"rioxarray": "finds no CRS, and raises MissingCRS where it needs one"},
            fix=lambda _node: Draft(
                "suggest",
                note='with rioxarray: ds = ds.rio.write_crs("EPSG:…"), and write ds again',
            ),
        )


def _is_told(node: Node) -> bool:
    """Whether attributes of a node describe a reference system, for readers of any kind."""
    return any(name in _TELLING or name.startswith("proj:") for name in node.attributes)


def _systems(array: Array) -> Iterator[tuple[Node, str, str]]:
    """Yield the reference systems of an array that have a code: of its grid mapping, and of proj:, its own or else that of its group."""
    mapping = next(crs.grid_mappings(array, None))
    if mapping is not array:
        yield from (
            (mapping, *named) for named in crs.codes(mapping.attributes, crs.WKT_ATTRIBUTES)
        )
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    for node in (array, group):
        if node is not None and not node.attributes.keys().isdisjoint(crs.PROJ_ATTRIBUTES):
            yield from ((node, *named) for named in crs.codes(node.attributes))
            return


def _differ(code: str, other: str) -> bool:
    """Whether two codes are of systems that are surely not in the same place: usual ones, of which one at least is in metres."""
    metres = [crs.is_in_metres(one) for one in (code, other)]
    known = all(
        one or name in crs.GEOGRAPHIC for one, name in zip(metres, (code, other), strict=True)
    )
    return known and any(metres) and _place(code) != _place(other)


def _place(code: str) -> str:
    """Return what is the same of codes by which a place has the same coordinates, but for a metre."""
    zone = _NORTHERN.fullmatch(code)
    return code if zone is None else f"zone {zone[1]}"
