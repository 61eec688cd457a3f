"""Z2: names that netCDF-C cannot take, or passes over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.dialects import nczarr, netcdf_names

if TYPE_CHECKING:
    from nz_explorer.model import Node

_REFUSED = re.compile(r"[\x00-\x2d:-@\[-^`{-\x7f]|.*([\x00-\x1f\x7f]|\s$)", re.DOTALL)
"""Names that begin with a character of ASCII other than a letter, a digit and underscore, have a control character, or end
with a blank. Those that begin with a dot are passed over."""


@rule("Z2-OGC-014", on="members", formats=(2,))
def names_are_taken_by_netcdf(group: Group) -> Iterator[Fail]:
    """Note names of groups that netCDF-C refuses, and of all that its own metadata list.

    Names of arrays that it finds by itself, of dimensions in _ARRAY_DIMENSIONS and of attributes it takes as they are.
    """
    names = _listed(group)
    for child in group.children or ():
        if names is not None:
            refused = child.name in names and not netcdf_names.is_legal(child.name)
        else:
            refused = isinstance(child, Group) and _REFUSED.match(child.name) is not None
        if refused:
            yield Fail(
                "",
                f"netCDF-C refuses the {child.kind} name {json_text(child.name)}, and with it the whole dataset",
                path=child.path,
                impact=impact_of_netcdf(group),
                fix=_renamed,
            )


@rule("Z2-OGC-010", on="members", formats=(2,))
def names_are_seen_by_netcdf(group: Group) -> Iterator[Fail]:
    """Note groups and arrays that netCDF-C passes over for the dot that their names begin with, as hidden files do."""
    names = _listed(group) or ()
    for child in group.children or ():
        if child.name.startswith(".") and child.name not in names:
            yield Fail(
                "",
                f"netCDF-C up to 4.10 does not show what has a name with a dot in front, such as {json_text(child.name)}",
                path=child.path,
                impact=impact_of_netcdf(group),
                fix=_renamed,
            )


def _listed(group: Group) -> frozenset[str] | None:
    """Return the names that netCDF-C's own metadata list; None where it looks at what is there."""
    if not nczarr.is_read(group, "group"):
        return None
    notes = nczarr.group_notes(group)
    return frozenset((notes.children or ()) if notes is not None else ())


def _renamed(_node: Node) -> Draft:
    return Draft(
        "unsafe",
        note="rename it; programs and attributes that use the old name no longer find it",
    )
