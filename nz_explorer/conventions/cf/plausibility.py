"""CF: values are in the byte order that is declared, and latitudes are on the globe."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.cf.geographic import geographic
from nz_explorer.conventions.cf.missing_values import mark_of
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import is_candidate
from nz_explorer.model.attribute_types import unpacked_number
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import Contents
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

ODD = (1e-30, 1e25)
"""Hardly any measurement is closer to zero than the one, or farther from it than the other."""
ORDINARY = (1e-4, 1e7)
"""Most measurements and coordinates are between these, apart from zero."""
OTHER_ORDER = {"little": "big", "big": "little", "<": ">", ">": "<"}
POLE = 90.5
"""How far from the equator a latitude may be: cells at the poles are sometimes centred beyond them."""


def _has_floats(array: Array, _: Any) -> bool:
    numpy = array.data_type.numpy
    return numpy is not None and numpy.kind == "f" and _order(array) is not None


def _order(array: Array) -> tuple[str, str] | None:
    """Return where the byte order of an array is declared, and which it is."""
    if array.zarr_format == 2:
        given = array.metadata.get("dtype")
        return ("/.zarray/dtype", given) if isinstance(given, str) and given[:1] in "<>" else None
    codecs = array.metadata.get("codecs")
    for place, codec in enumerate(codecs if isinstance(codecs, list) else []):
        if isinstance(codec, dict) and codec.get("name") == "bytes":
            settings = codec.get("configuration")
            order = settings.get("endian") if isinstance(settings, dict) else None
            if isinstance(order, str) and order in OTHER_ORDER:
                return f"/codecs/{place}/configuration/endian", order
    return None


@rule("CF-RANGE-002", on="values", when=_has_floats)
def coordinates_in_byte_order(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Warn of coordinates that make sense only with their bytes the other way round."""
    ends = (found.first, found.before, found.after, found.last)
    yield from _in_other_order(array, ends)


@rule(
    "CF-RANGE-004",
    on="contents",
    when=lambda array, _: _has_floats(array, _) and not is_candidate(array),
)
def values_in_byte_order(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of the values of other arrays, too."""
    if contents.scan is None:
        yield Undecided(contents.problem)
    else:
        ends = (contents.scan.minimum, contents.scan.maximum)
        # an end that is odd beside one that is not is a mark for missing data, such as 1e37, beside measurements
        if all(
            isinstance(end, float) and (not end or (_is_odd(end) and not mark_of(array, end)))
            for end in ends
        ):
            yield from _in_other_order(array, ends)


def _in_other_order(array: Array, values: tuple[Any, ...]) -> Iterator[Fail]:
    """Fail where values are no numbers that are met in practice, and would be if their bytes were swapped."""
    numpy, declared = array.data_type.numpy, _order(array)
    numbers = {value for value in values if isinstance(value, int | float) and value}
    if numpy is None or declared is None or not numbers:
        return
    swapped = {value: float(np.asarray(value, numpy).byteswap()) for value in sorted(numbers)}
    if not any(_is_odd(value) for value in swapped) or not all(
        ORDINARY[0] <= abs(value) <= ORDINARY[1] for value in swapped.values()
    ):
        return
    pointer, order = declared
    sign = order[0] if array.zarr_format == 2 else order  # of a type such as <f8
    other = OTHER_ORDER[sign] + order.removeprefix(sign)
    read = listed([f"{value:.3g}" for value in list(swapped)[:2]])
    meant = listed([f"{value:.6g}" for value in list(swapped.values())[:2]])
    yield Fail(
        pointer,
        f"values such as {read} are {meant} with their bytes the other way round: they seem to be stored as {other}{'-endian' if len(sign) > 1 else ''}",
        fix=_swap(pointer, other),
        covers=("NZ-COORD-002",),
    )


def _is_odd(value: Any) -> bool:
    return not math.isfinite(value) or not ODD[0] <= abs(value) <= ODD[1]


def _swap(pointer: str, other: str) -> Any:
    def fix(_node: Node) -> Draft:
        return Draft("suggest", (replace(pointer, other),), "look at the values then")

    return fix


@rule("CF-RANGE-003", on="values", when=lambda array, _: geographic(array) == "NS")
def latitudes_on_the_globe(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Warn of latitudes beyond the poles."""
    for stored in (found.first, found.before, found.after, found.last):
        value = unpacked_number(array.attributes, stored)
        if isinstance(value, int | float) and abs(value) > POLE:
            yield Fail(
                array.attribute_pointer("units"),
                f"{array.path} is a latitude, and {value:g} is beyond the poles: longitudes and latitudes may be"
                " exchanged, or the values be packed or in other units",
            )
            return
