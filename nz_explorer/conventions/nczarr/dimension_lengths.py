"""NCZ: dimensions that netCDF-C makes from the names that xarray gives them."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import nczarr
from nz_explorer.text.phrases import listed


@rule("NCZ-DIM-003", on="members", formats=(2,))
def one_length_each(group: Group) -> Iterator[Fail]:
    """Require one length of each name in a group, where netCDF-C goes by _ARRAY_DIMENSIONS.

    Where it has notes of its own, these give the lengths (NCZ-VAR-002).
    """
    root, modes = group.hierarchy.root, group.hierarchy.modes
    notes_count = nczarr.is_read(root, "superblock") and nczarr.counts(group.hierarchy)
    if notes_count or "noxarray" in modes:
        return
    found: dict[str, dict[int, tuple[Array, int]]] = {}
    for array in group.arrays:
        names, lengths = array.attributes.get("_ARRAY_DIMENSIONS"), array.stored_shape or ()
        if not isinstance(names, list) or len(names) != len(lengths):
            continue  # Z2-OGC-003
        for axis, (name, length) in enumerate(zip(names, lengths, strict=True)):
            if isinstance(name, str):
                found.setdefault(name, {}).setdefault(length, (array, axis))
    for name, places in found.items():
        if len(places) < 2:
            continue
        uses = [f"{length} in {array.name}" for length, (array, _) in places.items()]
        array, axis = list(places.values())[1]
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS") + f"/{axis}",
            f"dimension {json_text(name)} has several lengths in {group.path}: {listed(uses)}",
            path=array.path,
            related=tuple(dict.fromkeys(one.path for one, _ in places.values())),
        )
