"""CF: packed values can be unpacked (CF-1.11, 8.1 Packed Data)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.cf.times import is_time
from nz_explorer.conventions.zarr3.nodes import is_number, shown
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, move, remove, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import codec_name, is_candidate
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.fill_values.spelling import as_type
from nz_explorer.model.signedness import meant_type
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import Contents


SCALING = frozenset({"fixedscaleoffset", "numcodecs.fixedscaleoffset"})
"""Names of the codec of numcodecs that packs."""
ANGLE = re.compile(
    r"(deg|degrees?)([ _]?([NESW]|north|east|south|west|true))?|rad|radians?|°", re.IGNORECASE
)
"""Units of what does go from one end of its range to the other, such as longitudes and directions."""
FEWEST_MEETINGS = 12
MOST_AT_ENDS = 0.4
"""Where more of the values lie at the ends, as those of masks and of cloud cover do, they often meet."""
MOST_UNLIKE = 20
"""How many times more values may lie at one end: of rain, nearly all are at the lower one."""


def _is_packed(array: Array) -> bool:
    return any(name in array.attributes for name in PACKING)


@rule("CF-PACK-001", "CF-PACK-002", on="array", needs=("attributes",), when=_is_packed)
def numbers(array: Array) -> Iterator[Fail]:
    """Require numbers that tell values apart; xarray takes a list of one for its number, and null for nothing."""
    for name in PACKING:
        value = _only(given := array.attributes.get(name))
        if value is None:
            continue
        if is_number(value):
            every = _every_value(name, value, array)
            if every is not None:
                stops = name == "scale_factor" and _needs_nan(array, given)
                does = when_loaded(array, _NO_NAN) if stops else f"shows {every} everywhere"
                yield Fail(
                    array.attribute_pointer(name),
                    f"{name} is {value}: every value becomes {every}",
                    impact="blocks" if stops else None,
                    readers={"xarray": does},
                    fix=_without(name),
                    rule="CF-PACK-002",
                )
            elif name == "scale_factor":
                yield from _integer_scale(array, given)
            continue
        yield Fail(
            array.attribute_pointer(name),
            f"{name} {shown(given)} is not a number, so the values cannot be unpacked",
            # to Python true is 1
            impact="values" if isinstance(value, bool) else None,
            readers=_of_no_number(array, name, value),
            fix=_set_aside if number_in(value) is None else _as_number(name),
        )


NETCDF4_CANNOT_SCALE = {
    "netCDF-C": "reads it; Python's netCDF4 raises UFuncTypeError when it scales the values"
}
"""What becomes of a text that is a number, of Zarr v2."""


def _of_no_number(array: Array, name: str, value: Any) -> dict[str, str] | None:
    """Return what readers do with what is no number; Python's netCDF4 takes a text that is one for a number, and then stops."""
    given = array.attributes[name]
    # without an offset, xarray gives what it unpacks the type of the scale
    alone = name == "scale_factor" and array.attributes.get("add_offset") is None
    if given is True and alone:
        return {"xarray": "makes true of all values but 0, and of missing ones"}
    if isinstance(value, bool):
        return {"xarray": f"takes it for {int(value)}"}
    if isinstance(value, list):
        return {"xarray": "raises ValueError, and opens nothing of the group"}
    if isinstance(given, list) and alone:
        whole = array.data_type.kind in ("int", "uint", "bool")
        repeats = "repeats the text as often as each integer says, or " if whole else ""
        return {"xarray": repeats + when_loaded(array, "TypeError")}
    error = "TypeError" if isinstance(given, dict) and alone else "UFuncTypeError"
    scaled = isinstance(given, str) and array.zarr_format == 2 and number_in(given) is not None
    return {"xarray": when_loaded(array, error)} | (NETCDF4_CANNOT_SCALE if scaled else {})


def when_loaded(array: Array, error: str) -> str:
    """Return what xarray does where values cannot be decoded: those of indexes and times it needs at once.

    Parameters
    ----------
    array : Array
        The values.
    error : str
        The error that is raised.
    """
    if is_candidate(array) or is_time(array):
        return f"raises {error}, and opens nothing of the group"
    return f"opens it, and raises {error} when values are loaded"


def _integer_scale(array: Array, scale: Any) -> Iterator[Fail]:
    """Warn where xarray makes integers of numbers, as it does by a scale that JSON has without a decimal point."""
    if not _makes_integers(array, scale) or array.data_type.kind in ("string", "bytes"):
        return
    if _needs_nan(array, scale):
        loses, does = "have no NaN for missing values", when_loaded(array, _NO_NAN)
    elif array.data_type.kind == "float":
        loses, does = "have no decimals", "shows whole numbers, without what is behind the point"
    else:
        return
    yield Fail(
        array.attribute_pointer("scale_factor"),
        f"scale_factor {scale} is written as an integer: xarray makes integers of what it unpacks, which {loses}",
        severity="warning",
        impact="blocks" if does.startswith(("raises", "opens")) else "values",
        readers={"xarray": does},
        fix=lambda node: Draft("suggest", set_attribute(node, "scale_factor", float(scale))),
    )


def _makes_integers(array: Array, scale: Any) -> bool:
    return isinstance(scale, int) and array.attributes.get("add_offset") is None


def _needs_nan(array: Array, scale: Any) -> bool:
    """Whether xarray makes integers of what it unpacks, and missing values are declared, for which these have no NaN."""
    marked = any(array.attributes.get(name) is not None for name in ("_FillValue", "missing_value"))
    in_v2 = array.zarr_format == 2 and array.metadata.get("fill_value") is not None
    return _makes_integers(array, scale) and (marked or in_v2)


_NO_NAN = "ValueError: cannot convert float NaN to integer"


def _packs_texts(array: Array) -> bool:
    return _is_packed(array) and array.data_type.kind in ("string", "bytes")


@rule("CF-PACK-001", on="array", needs=("attributes", "data type"), when=_packs_texts)
def texts_are_not_packed(array: Array) -> Iterator[Fail]:
    """Require numbers in what is to be unpacked."""
    name = next(name for name in PACKING if name in array.attributes)
    yield Fail(
        array.attribute_pointer(name),
        f"{array.data_type.name} values have {name}, and only numbers can be unpacked",
        readers={"xarray": when_loaded(array, "ValueError")},
        fix=_set_aside,
    )


def _is_unpacked_by_codec(array: Array) -> bool:
    return _filter(array) is not None and "_FillValue" in array.attributes


@rule(
    "CF-PACK-003",
    on="array",
    needs=("attributes", "data type", "codecs"),
    when=_is_unpacked_by_codec,
)
def fill_is_unpacked(array: Array) -> Iterator[Fail]:
    """Require a missing value that unpacking can give."""
    packed, fill = _filter(array), array.attributes["_FillValue"]
    if packed is None or not is_number(fill):
        return
    low, high = sorted(packed.unpack(end) for end in (packed.low, packed.high))
    if low <= fill <= high or not packed.low <= fill <= packed.high:
        return
    dtype = array.data_type.numpy
    if dtype is not None and as_type(fill, dtype) in (as_type(low, dtype), as_type(high, dtype)):
        return  # an end, as the type rounds it
    meant = packed.unpack(fill)
    stored = float(fill).is_integer()  # no fraction is stored, so it was not meant packed
    yield Fail(
        array.attribute_pointer("_FillValue"),
        f"_FillValue {shown(fill)} never matches: {packed.name} unpacks to {low:g} … {high:g}"
        + (f", and a stored {fill:g} to {meant:g}" if stored else ""),
        fix=_unpacked_fill(fill, meant) if stored else None,
    )


def _unpacked_fill(fill: Any, meant: float) -> FixMaker:
    """Return the fix that declares what is read; of Zarr v2 xarray masks what equals fill_value instead."""

    def fix(node: Node) -> Draft | None:
        patch = set_attribute(node, "_FillValue", meant)
        if node.zarr_format == 2 and node.metadata.get("fill_value") == fill:
            patch += (replace(node.pointer("fill_value"), meant),)
        return Draft("suggest", patch)

    return fix


def _scales(codec: Any) -> bool:
    return codec_name(codec) in ("scale_offset", *SCALING)


def _are_scaled_floats(array: Array) -> bool:
    given = [_only(array.attributes[name]) for name in PACKING if name in array.attributes]
    scale, offset = (_number(array.attributes.get(name)) for name in PACKING)
    return (
        array.data_type.kind == "float"
        and all(one is None or is_number(one) for one in given)  # what is none is CF-PACK-001
        and scale != 0
        and (scale not in (None, 1) or bool(offset))
        # with a codec that scales, in Zarr v3, it is NZ-PACK-002
        and not (array.zarr_format == 3 and any(map(_scales, array.codecs)))
    )


@rule(
    "CF-PACK-006", on="array", needs=("attributes", "data type", "codecs"), when=_are_scaled_floats
)
def scaled_floats(array: Array) -> Iterator[Fail]:
    """Note floats that readers scale: they may have been unpacked, and the attributes left."""
    names = [name for name in PACKING if _number(array.attributes.get(name)) is not None]
    removed = tuple(remove(array.attribute_pointer(name)) for name in names)
    yield Fail(
        array.attribute_pointer(names[0]),
        f"{array.data_type.name} values have {listed(names)}, and readers apply {'it' if len(names) == 1 else 'them'}: if they"
        " are in physical units already, they are scaled twice",
        fix=lambda _node: Draft(
            "suggest", removed, "if the stored values are those that are meant"
        ),
    )


def _may_wrap(array: Array, _: Any) -> bool:
    units = array.attributes.get("units")
    return _is_packed(array) and not (isinstance(units, str) and ANGLE.fullmatch(units))


@rule("CF-PACK-004", on="contents", when=_may_wrap)
def values_do_not_wrap(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn where neighbours lie at both ends of what the type holds: the packed values were too large for it."""
    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    ends, numpy = contents.scan.ends, _stored_type(array)
    few, many = sorted((ends.low, ends.high))
    if (
        numpy is None
        or ends.meetings < max(FEWEST_MEETINGS, few // 10)
        or many > few * MOST_UNLIKE
        or few + many > contents.scan.count * MOST_AT_ENDS
    ):
        return
    held = [_unpacked(array, end) for end in _ends_of(numpy)]
    low, high = sorted(held)
    yield Fail(
        array.attribute_pointer(
            "scale_factor" if "scale_factor" in array.attributes else "add_offset"
        ),
        f"values at both ends of {numpy.name} lie beside each other, in {ends.meetings:,} places: values"
        f" outside of {low:.6g} … {high:.6g} probably overflowed to the other end when they were packed",
        fix=_pack_again,
    )


def _unpacked(array: Array, stored: float) -> float:
    scale, offset = (array.attributes.get(name) for name in PACKING)
    return stored * (_number(scale) or 1) + (_number(offset) or 0)


def _pack_again(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write it again from the source, with a scale_factor and an add_offset that hold its range, or as float32;"
        " of files that are joined, each has its own packing: remove encoding before to_zarr",
    )


def _stored_type(array: Array) -> np.dtype[Any] | None:
    """Return the type that packed integers are meant to have, None where they are no integers."""
    numpy = meant_type(array) or array.data_type.numpy
    return numpy if numpy is not None and numpy.kind in "iu" else None


def _ends_of(numpy: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(numpy)
    return int(limits.min), int(limits.max)


def _may_be_packed_by_file(array: Array, contents: Contents) -> bool:
    """Whether scale and offset look as if they had been computed from the data, so that these fill their type."""
    scale, offset = (_number(array.attributes.get(name)) for name in PACKING)
    numpy = _stored_type(array)
    return (
        numpy is not None
        and numpy.itemsize <= LONGEST
        and bool(array.shape)
        and bool(scale and offset)
        and _may_wrap(array, contents)
        and not _is_round(scale or 0)
        and not all(_is_round(_unpacked(array, end)) for end in _ends_of(numpy))
    )


MOST_CUT_OFF = 0.5
"""Where more of the values lie at the ends, they were cut off there, or are masks."""
LONGEST = 4
"""Bytes of integers into which numbers are packed; eight hold all of float64."""


def _near_end(numpy: np.dtype[Any]) -> int:
    """Return how near to the end of their type packed values come that were scaled to fill it.

    Fill values take one or two, and in four bytes float32 is not exact to the last of them.
    """
    return {1: 2, 2: 3}.get(numpy.itemsize, 2**10)


_DIGITS = 3


def _is_round(number: float) -> bool:
    """Whether a number has few digits, to what packing in two bytes keeps: it was chosen, not found in the data."""
    return math.isclose(number, float(f"{number:.{_DIGITS}g}"), rel_tol=1e-4)


@rule("CF-PACK-005", on="contents", when=_may_be_packed_by_file)
def packed_alike(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn where each run of chunks along the first axis fills the range of the type: each was packed by itself."""
    if contents.scan is None:
        yield Undecided(contents.problem)
        return
    rows, numpy, ends = contents.scan.chunks, _stored_type(array), contents.scan.ends
    if rows is None or numpy is None or contents.scan.faults:
        return
    if ends.low + ends.high > contents.scan.count * MOST_CUT_OFF:
        return
    rows = rows[rows["count"] > 0]
    runs = [rows[rows["chunk"][:, 0] == number] for number in np.unique(rows["chunk"][:, 0])]
    lowest, highest = _ends_of(numpy)
    least, most = lowest + _near_end(numpy), highest - _near_end(numpy)
    fill = [run["minimum"].min() <= least and run["maximum"].max() >= most for run in runs]
    if len(runs) < 2 or not all(fill):
        return
    low, high = sorted(_unpacked(array, end) for end in (lowest, highest))
    along = (array.dimension_names or ("",))[0] or "its first axis"
    yield Fail(
        array.attribute_pointer("scale_factor"),
        f"each of {len(runs)} runs of chunks along {along} fills {numpy.name} from end to end, {low:.6g} … {high:.6g}:"
        " each was probably packed with a scale_factor and an add_offset of its own, but an array has only one of each",
        fix=_unpack_each,
    )


def _unpack_each(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="compare with the files that it was made of: if their scale_factor differs, open each of them with xarray, which"
        " unpacks it, remove encoding, and write the numbers again; no reference can join them",
    )


@dataclass(frozen=True)
class _Unpacking:
    """A codec that unpacks integers.

    Attributes
    ----------
    name
        Its name.
    scale, offset
        A stored value is divided by the one, and the other is added.
    low, high
        The least and the greatest value that can be stored.
    """

    name: str
    scale: float
    offset: float
    low: int
    high: int

    def unpack(self, stored: float) -> float:
        return stored / self.scale + self.offset


def _filter(array: Array) -> _Unpacking | None:
    """Return what unpacks the values of an array last, where it is the codec ``fixedscaleoffset`` of numcodecs."""
    chain = array.metadata.get("filters" if array.zarr_format == 2 else "codecs")
    first = chain[0] if isinstance(chain, list) and chain else None
    if not isinstance(first, dict):
        return None
    name = first.get("id" if array.zarr_format == 2 else "name")
    given = first if array.zarr_format == 2 else first.get("configuration")
    if not isinstance(name, str) or name not in SCALING or not isinstance(given, dict):
        return None
    scale, offset = given.get("scale"), given.get("offset", 0)
    try:
        stored = np.iinfo(given.get("astype"))
    except (TypeError, ValueError):
        return None  # it keeps decimals, and what it can hold is not known
    if not (is_number(scale) and is_number(offset) and scale):
        return None
    return _Unpacking(name, scale, offset, int(stored.min), int(stored.max))


def _every_value(name: str, number: float, array: Array) -> str | None:
    """Return what a factor or an offset makes of every value; None where values stay apart."""
    if not _is_finite(number):
        return "NaN or infinite"
    if name == "add_offset" or number:
        return None
    offset = _only(array.attributes.get("add_offset"))
    return f"{offset}" if is_number(offset) else "0"


def _without(name: str) -> FixMaker:
    return lambda node: Draft(
        "suggest", (remove(node.attribute_pointer(name)),), "values are shown without it then"
    )


def _only(given: Any) -> Any:
    """Return what readers take for the value of an attribute: a list of one is its only member, as `item` of NumPy has it."""
    while isinstance(given, list) and len(given) == 1:
        given = given[0]
    return given


def _number(given: Any) -> float | None:
    value = _only(given)
    try:
        return float(value) if is_number(value) else None
    except OverflowError:  # JSON has integers of any size
        return math.inf


def _is_finite(given: Any) -> bool:
    number = _number(given)
    return number is not None and math.isfinite(number)


def number_in(value: Any) -> float | None:
    """Return the number that a text holds; None where it holds none, or no finite one.

    Parameters
    ----------
    value
        A JSON value.
    """
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _as_number(name: str) -> FixMaker:
    def fix(node: Node) -> Draft | None:
        given = node.attributes.get(name)
        number = number_in(given[0] if isinstance(given, list) and given else given)
        if number is None:
            return None
        return Draft("unsafe", set_attribute(node, name, number), "values are unpacked afterwards")

    return fix


def _set_aside(node: Node) -> Draft:
    """Return the fix that lets readers show what is stored, and keeps what packing was meant to be."""
    names = [name for name in PACKING if name in node.attributes]
    operations = tuple(
        move(node.attribute_pointer(name), node.attribute_pointer(f"unused_{name}"))
        for name in names
    )
    kept = listed(f"unused_{name}" for name in names)
    return Draft("suggest", operations, f"readers show packed values then; kept as {kept}")
