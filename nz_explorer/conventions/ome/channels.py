"""OME: how channels are shown (OME-NGFF 0.4 and 0.5, section omero)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.ome.images import described, held, is_image
from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, Node

_COLOR = re.compile(r"[0-9A-Fa-f]{6}")


@rule("OME-IMG-007", on="group", needs=("attributes",), when=is_image)
def channels_can_be_shown(group: Group) -> Iterator[Fail]:
    """Require a colour and a window for each channel that is described."""
    given, pointer = held(group)
    for n, channel in enumerate((described(given) or [])[:1000]):
        if not isinstance(channel, Mapping):
            continue
        place, color, window = (
            f"{pointer}/omero/channels/{n}",
            channel.get("color"),
            channel.get("window"),
        )
        if not isinstance(color, str) or not _COLOR.fullmatch(color):
            got = "nothing" if color is None else json_text(color)
            bare = color.removeprefix("#") if isinstance(color, str) else ""
            yield Fail(
                f"{place}/color",
                f"the color of channel {n} must be six hexadecimal digits, such as FF0000, got {got}",
                fix=set_to(f"{place}/color", bare) if _COLOR.fullmatch(bare) else None,
            )
        if not isinstance(window, Mapping) or not {"min", "max", "start", "end"} <= window.keys():
            yield Fail(
                f"{place}/window", f"the window of channel {n} needs min, max, start and end"
            )
        elif _is_empty(window):
            yield Fail(
                f"{place}/window",
                f"the window of channel {n} is from {window['start']} to {window['end']}: viewers show all of it black, or white",
                fix=_from_values,
            )
        label = channel.get("label", "")
        if not isinstance(label, str):
            yield Fail(
                f"{place}/label",
                f"the label of channel {n} must be a text, got {json_text(label)}",
                severity="info",
                fix=set_to(f"{place}/label", str(label)) if isinstance(label, int) else None,
            )


def _is_empty(window: Mapping[str, Any]) -> bool:
    start, end = window["start"], window["end"]
    return isinstance(start, int | float) and isinstance(end, int | float) and end <= start


def _from_values(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="give start and end the least and the greatest value that are to be told apart",
    )
