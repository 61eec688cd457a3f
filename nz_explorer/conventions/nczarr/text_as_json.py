"""NCZ: attributes of characters, of which netCDF-C writes those that are JSON as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nczarr.superblock import read_today
from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.model import Array
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place


def stops_as_text(node: Node, value: Any) -> bool:
    """Whether netCDF-C opens nothing with what is to be characters: where it goes by no superblock, that must be text.

    Parameters
    ----------
    node : Node
        What has the attribute.
    value
        The attribute, whose type is of characters.
    """
    items = value if isinstance(value, list) else [value]
    if all(isinstance(one, str) for one in items):
        return False
    hierarchy = node.hierarchy
    is_pure = not nczarr.is_read(hierarchy.root, "superblock") or not nczarr.counts(hierarchy)
    return is_pure and all(isinstance(one, str | int | float) for one in items)


def no_text(node: Node, key: str) -> Fail:
    """Return that netCDF-C opens no dataset with an attribute; see `stops_as_text`.

    Parameters
    ----------
    node : Node
        What has the attribute.
    key : str
        Its name.
    """
    text, pointer = nczarr.text_of(node, key), node.attribute_pointer(key)
    why = (
        "in this mode"
        if nczarr.is_read(node.hierarchy.root, "superblock")
        else "without superblock"
    )
    return Fail(
        pointer,
        f"{key} = {shown(node.attributes[key])} has the type of characters: netCDF-C writes a text that is JSON like"
        f" this, and {why} 4.10 opens no dataset that has it",
        severity="info",
        impact="blocks",
        readers={"netCDF-C": "cannot open the dataset: invalid argument"},
        fix=_as_text(pointer, text),
    )


def shortened(node: Node, key: str, place: Place) -> Iterator[Fail]:
    """Yield that netCDF-C reads one character of a text that it has written as a number.

    Parameters
    ----------
    node : Node
        What has the attribute.
    key : str
        Its name.
    place : Place
        Where its type is noted.
    """
    text = nczarr.text_of(node, key)
    shown_as = "1" if text == "true" else "0" if text == "false" else _spelled(text)[:1]
    if key in PACKING and isinstance(node, Array):
        yield read_today(node, place, _unpackable(node, key, place, shown_as))
        return
    if shown_as == text:
        return
    pointer = node.attribute_pointer(key)
    found = Fail(
        pointer,
        f"{key} = {text} has the type of characters: netCDF-C writes a text that is JSON like this, and 4.10 reads"
        f" back {json_text(shown_as)}",
        severity="info",
        impact="values",
        readers={"netCDF-C": f"reads {json_text(shown_as)} in place of {json_text(text)} (4.10)"},
        fix=_as_text(pointer, text),
    )
    yield read_today(node, place, found)


def _spelled(number: str) -> str:
    """Return a number as netCDF-C spells it: what is no integer with six decimals, so that 1e-05 becomes 0.000010."""
    return number if number.lstrip("-").isdigit() else f"{float(number):f}"


def _as_text(pointer: str, text: str) -> FixMaker:
    """Return the fix that makes a text of what stands there."""
    note = "it is a text to other readers then, too"
    return lambda _node: Draft("unsafe", (replace(pointer, text),), note)


def _unpackable(node: Node, key: str, place: Place, shown_as: str) -> Fail:
    """Return that netCDF-C reads a text where values are to be packed by a number."""
    number = shown_as.isdigit()
    does = "reads it; Python's netCDF4 raises UFuncTypeError when it scales the values"
    return Fail(
        node.attribute_pointer(key),
        f"{key} = {shown(node.attributes[key])} has the type of characters, so netCDF-C reads the text {json_text(shown_as)}",
        impact="blocks" if number else "values",
        readers={"netCDF-C": does if number else "shows the values as they are stored"},
        fix=lambda _node: Draft("suggest", (replace(place.at("types", key), "<f8"),)),
    )
