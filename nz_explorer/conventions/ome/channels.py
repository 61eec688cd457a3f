"""OME: how channels are shown (OME-NGFF 0.4 and 0.5, section omero)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nz_explorer.conventions.ome.images import described, held, is_image, levels_of
from nz_explorer.conventions.zarr3.nodes import is_number, set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, Node

_COLOR = re.compile(r"[0-9A-Fa-f]{6}")
COLORS = ("FF0000", "00FF00", "0000FF", "FF00FF", "00FFFF", "FFFF00")
"""What channels without a color are given, each the next: those that viewers take, too."""


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
                fix=set_to(f"{place}/color", bare)
                if _COLOR.fullmatch(bare)
                else _colored(f"{place}/color", n, len(described(given) or [])),
            )
        if not isinstance(window, Mapping) or not {"min", "max", "start", "end"} <= window.keys():
            yield Fail(
                f"{place}/window",
                f"the window of channel {n} needs min, max, start and end",
                fix=_windowed(f"{place}/window", window if isinstance(window, Mapping) else {}),
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


def _colored(pointer: str, number: int, count: int) -> FixMaker:
    """Return the fix that gives a channel a color of its own, and the only one white."""
    color = COLORS[number % len(COLORS)] if count > 1 else "FFFFFF"
    note = "any six hexadecimal digits will do, two each for red, green and blue"
    return lambda _node: Draft("suggest", (add(pointer, color),), note)


def _windowed(pointer: str, given: Mapping[str, Any]) -> FixMaker:
    """Return the fix that adds what a window lacks: from its other two numbers, or from the data type."""

    def fix(node: Node) -> Draft:
        low, high = (
            _two(given, "min", "max") or _two(given, "start", "end") or _range(node) or (None, None)
        )
        if low is None:
            return _from_values(node)
        window = {"min": low, "max": high, "start": low, "end": high, **given}
        note = "narrow start and end down to the values that are to be told apart"
        return Draft("suggest", (add(pointer, window),), note)

    return fix


def _two(given: Mapping[str, Any], low: str, high: str) -> tuple[Any, Any] | None:
    one, other = given.get(low), given.get(high)
    return (one, other) if is_number(one) and is_number(other) and one < other else None


def _range(node: Node) -> tuple[Any, Any] | None:
    """Return the least and the greatest value that the levels of an image can have, where they are integers."""
    for array in levels_of(node) if isinstance(node, Group) else ():
        numpy = array.data_type.numpy
        if numpy is not None and numpy.kind in "iu":
            limits = np.iinfo(numpy)
            return int(limits.min), int(limits.max)
        return None
    return None


def _from_values(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="give start and end the least and the greatest value that are to be told apart",
    )
