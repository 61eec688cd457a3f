"""OME: the axes of images (OME-NGFF 0.4 and 0.5, section axes)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.ome.images import BY_NAPARI, axes_of, images_of, is_image, version_of
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.text.phrases import listed

ORDER = {"time": 0, "channel": 1, "space": 2}
"""Which types of axes come first; those of other types may be where channels are."""
AXES = {"t": "time", "c": "channel", **dict.fromkeys("zyx", "space")}
"""Types of axes by the names that they had up to version 0.3."""


@rule("OME-IMG-004", on="group", needs=("attributes",), when=is_image)
def axes_in_order(group: Group) -> Iterator[Fail]:
    """Require axes since 0.4, two or three of them of space, at the end, after time and channels."""
    version = version_of(group)
    readers = None if version == "0.4" else BY_NAPARI  # ome-zarr-py looks at those of no other
    for image, pointer in images_of(group):
        axes = axes_of(image)
        if axes is None:
            if "coordinateSystems" not in image and version >= "0.4":
                got = json_text(image["axes"]) if "axes" in image else "nothing"
                yield Fail(
                    f"{pointer}/axes",
                    f"axes must list the dimensions of the image, got {got}",
                    readers=readers,
                )
            continue
        given = [axis for axis in axes if isinstance(axis, Mapping)]
        names = [axis.get("name") for axis in given] if given else axes
        if twice := [name for n, name in enumerate(names) if name in names[:n]]:
            said = f"two axes are called {json_text(twice[0])}"
            yield Fail(f"{pointer}/axes", said, readers=BY_NAPARI)
        if axes and not given and version >= "0.4":
            yield Fail(
                f"{pointer}/axes",
                f"an axis is an object with a name since version 0.4, got {json_text(axes[0])}",
                severity="warning",
                readers={"iohub": "reads the image, and no scale", **BY_NAPARI},
                fix=_as_objects(f"{pointer}/axes", axes),
            )
        types = [axis.get("type") for axis in given]
        if not given or "space" not in types:
            continue  # types may be left out
        spaces = types.count("space")
        if spaces not in (2, 3):
            yield Fail(f"{pointer}/axes", f"an image has 2 or 3 axes of type space, not {spaces}")
        ranks = [ORDER.get(kind if isinstance(kind, str) else "", 1) for kind in types]
        if ranks != sorted(ranks):
            said = listed([str(name) for name in names])
            yield Fail(
                f"{pointer}/axes",
                f"the axes are {said}: time comes first, then channels, and space last",
                readers=readers,
            )


def _as_objects(pointer: str, axes: list[Any]) -> FixMaker | None:
    """Return the fix that makes objects of the names that axes were up to version 0.3."""
    if not all(isinstance(name, str) and name in AXES for name in axes):
        return None
    right = [{"name": name, "type": AXES[name]} for name in axes]
    return lambda _node: Draft("suggest", (replace(pointer, right),))
