"""Z3: what each codec of a chain is given to encode – the data type, the fill value and the shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from nz_explorer.conventions.zarr3.nodes import is_integer
from nz_explorer.model import codec_name, configuration_of
from nz_explorer.model.chunk_edges import runs_of, shapes_of
from nz_explorer.model.data_type import parse_v3
from nz_explorer.model.fill_values import decode_storage_fill
from nz_explorer.model.fill_values.spelling import as_type

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.model.data_type import DataType

ROUNDINGS: dict[str, Callable[[float], int]] = {
    "nearest-even": round,
    "towards-zero": math.trunc,
    "towards-positive": math.ceil,
    "towards-negative": math.floor,
    "nearest-away": lambda v: math.trunc(v + math.copysign(0.5, v)),
}
"""How the codec cast_value rounds, by its setting."""
REAL = frozenset({"int", "uint", "float"})
"""The kinds of data types that model real numbers."""
_SAME_TYPE = frozenset({"transpose", "reshape", "bitround", "scale_offset", "numcodecs.bitround"})
_LONGEST = 8


def is_order(order: Any, rank: int | None) -> TypeGuard[list[int]]:
    """Whether something lists each axis once.

    Parameters
    ----------
    order
        The setting of the codec transpose.
    rank : int or None
        The number of axes.
    """
    return (
        isinstance(order, list)
        and len(order) == rank
        and all(map(is_integer, order))
        and sorted(order) == list(range(len(order)))
    )


def is_shape(shape: Any) -> TypeGuard[list[int]]:
    """Whether something lists lengths, all positive.

    Parameters
    ----------
    shape
        What stands in the document.
    """
    return isinstance(shape, list) and all(is_integer(n) and n > 0 for n in shape)


def outer_shape(array: Array) -> Any:
    """Return the shape of what a key holds; where it differs in length what divides each length, None where unknown.

    Parameters
    ----------
    array : Array
        The array, whose grid is sound.
    """
    grid = array.metadata.get("chunk_grid")
    if isinstance(grid, dict) and grid.get("name") == "regular":
        return grid["configuration"]["chunk_shape"]
    given = shapes_of(grid)
    if not isinstance(given, list) or len(given) != array.ndim:
        return None
    runs = [runs_of(one, length) for one, length in zip(given, array.shape or (), strict=True)]
    return [0 if one is None else math.gcd(*(size for size, _ in one)) for one in runs]


@dataclass(frozen=True, slots=True)
class Representation:
    """What a codec is given to encode; a part is None where it is not known.

    Attributes
    ----------
    data_type : DataType or None
        The type of the elements.
    fill : int, float or None
        What empty elements are, where that is one number.
    shape : list of int, or None
        The lengths of a chunk.
    rank : int or None
        How many dimensions there are.
    """

    data_type: DataType | None
    fill: float | None = None
    shape: list[int] | None = None
    rank: int | None = None


def representations(array: Array) -> dict[str, Representation]:
    """Return what each codec that encodes arrays is given, by its pointer; those of an index are left out.

    Parameters
    ----------
    array : Array
        The array, whose codecs are a list.
    """
    shape = outer_shape(array) if _has_grid(array) else None
    lengths = shape if is_shape(shape) else None
    first = Representation(array.data_type, _number(array), lengths, array.ndim)
    return _along(array.codecs, "/codecs", first)


def shapes_around(array: Array) -> dict[str, Any]:
    """Return the shape that each codec is given to encode or to divide, by its pointer, None where it is not known.

    Parameters
    ----------
    array : Array
        The array, whose grid is sound; where its chunks differ in length, what divides all of them counts.
    """
    shape = outer_shape(array)
    first = Representation(None, shape=shape if is_shape(shape) else None, rank=array.ndim)
    return {at: given.shape for at, given in _along(array.codecs, "/codecs", first).items()}


def _number(array: Array) -> float | None:
    """Return the fill value where it is one number, and a codec casts it."""
    if array.data_type.kind not in REAL or "cast_value" not in map(codec_name, array.codecs):
        return None
    fill = decode_storage_fill(array.metadata.get("fill_value"), array.data_type, 3).value
    return None if fill is None else float(fill)


def _has_grid(array: Array) -> bool:
    """Whether the lengths of chunks can be read off the grid, whose form has rules of its own."""
    grid = array.metadata.get("chunk_grid")
    if isinstance(grid, dict) and grid.get("name") == "regular":
        return "chunk_shape" in configuration_of(grid)
    return False


def _along(chain: list[Any], pointer: str, given: Representation, depth: int = 0) -> dict[str, Any]:
    found: dict[str, Representation] = {}
    for i, codec in enumerate(chain):
        at, name = f"{pointer}/{i}", codec_name(codec)
        settings = configuration_of(codec)
        found[at] = given
        inner = settings.get("codecs")
        if name in ("sharding_indexed", "n5_default") and isinstance(inner, list):
            shape = settings.get("chunk_shape") if name == "sharding_indexed" else given.shape
            part = replace(given, shape=shape if is_shape(shape) else None)
            if depth < _LONGEST:
                found |= _along(inner, f"{at}/configuration/codecs", part, depth + 1)
        given = _after(name, settings, given)
    return found


def _after(name: str | None, settings: dict[str, Any], given: Representation) -> Representation:
    """Return what a codec makes of an array, for the next one."""
    if name == "cast_value":
        return _cast(settings, given)
    if name not in _SAME_TYPE:
        # another codec may make anything of it; those of numcodecs keep its shape
        kept = given.shape if name is not None and name.startswith("numcodecs.") else None
        return Representation(None, shape=kept, rank=given.rank)
    if name == "transpose":
        order = settings.get("order")
        fits = given.shape is not None and is_order(order, len(given.shape))
        shape = [given.shape[n] for n in order] if fits and given.shape and order else None
        return replace(given, shape=given.shape if given.shape == [] else shape)
    if name == "reshape":
        wanted = settings.get("shape")
        rank = len(wanted) if isinstance(wanted, list) else None
        return replace(given, shape=reshaped(wanted, given.shape), rank=rank)
    return replace(given, fill=_scaled(settings, given) if name == "scale_offset" else None)


def _cast(settings: dict[str, Any], given: Representation) -> Representation:
    target = settings.get("data_type")
    data_type = parse_v3(target) if isinstance(target, str | dict) else None
    # an element that is rounded twice is of no interest: no more is known of it
    return replace(given, data_type=data_type, fill=None)


def _scaled(settings: dict[str, Any], given: Representation) -> float | None:
    if given.fill is None or given.data_type is None or given.data_type.kind != "float":
        return None
    offset, scale = settings.get("offset", 0), settings.get("scale", 1)
    numpy = given.data_type.numpy
    if numpy is None or not isinstance(offset, int | float) or not isinstance(scale, int | float):
        return None
    fill, offset, scale = (as_type(one, numpy) for one in (given.fill, offset, scale))
    with np.errstate(all="ignore"):  # with the arithmetic of the type, as the text has it
        return float((fill - offset) * scale)


def mapped(
    number: float, scalar_map: Any, member: str, types: tuple[DataType | None, DataType | None]
) -> float | bool | None:
    """Return what the map of cast_value makes of a value: False where it says nothing, None where that cannot be told.

    Parameters
    ----------
    number : float
        The value.
    scalar_map
        The setting of that name.
    member : {"encode", "decode"}
        Which of its lists counts.
    types : (DataType or None, DataType or None)
        Of what is given, and of what is made.
    """
    pairs = scalar_map.get(member) if isinstance(scalar_map, dict) else None
    if not isinstance(pairs, list):
        return False
    source, target = types
    if source is None or source.numpy is None or target is None or target.numpy is None:
        return None if pairs else False
    # what scale_offset has made of it is rounded to the type, as the values of the map are
    rounded = float(as_type(number, source.numpy))
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            return None  # which is reported
        known, becomes = _real(pair[0], source), _real(pair[1], target)
        if known is None:
            return None
        if same(known, rounded):
            return becomes
    return False


def _real(given: Any, data_type: DataType) -> float | None:
    """Return a value of a map as a number, with the infinity of the text's own example."""
    if given == "+Infinity":
        return math.inf
    value = decode_storage_fill(given, data_type, 3).value
    return None if value is None else float(value)


def same(one: float, other: float) -> bool:
    """Whether two numbers are equal, or both are NaN.

    Parameters
    ----------
    one, other : float
        The numbers.
    """
    return one == other or (math.isnan(one) and math.isnan(other))


def cast(number: float, settings: dict[str, Any], target: DataType) -> float | None:
    """Return what cast_value makes of a value that is not in its map; None where it refuses it.

    Parameters
    ----------
    number : float
        The value.
    settings : dict
        The configuration of the codec.
    target : DataType
        The type of what is made.
    """
    if target.kind == "float" and target.numpy is not None:
        return float(as_type(number, target.numpy))
    rounding = ROUNDINGS.get(settings.get("rounding", "nearest-even"))
    if rounding is None or not math.isfinite(number):
        return None
    whole, limits = rounding(number), np.iinfo(target.numpy)
    low, high = int(limits.min), int(limits.max)
    if low <= whole <= high:
        return whole
    if settings.get("out_of_range") == "wrap":
        return (whole - low) % (high - low + 1) + low
    return min(max(whole, low), high) if settings.get("out_of_range") == "clamp" else None


def returned(array: Array, number: float) -> float | None:
    """Return what is read where a number was written through the codecs scale_offset and cast_value of an array.

    Parameters
    ----------
    array : Array
        One of Zarr v3 with a type of real numbers.
    number : float
        A value of that type.

    Returns
    -------
    float or None
        None where a codec refuses the value, or where it cannot be told what becomes of it.
    """
    given = Representation(array.data_type, number)
    passed = []
    chain = list(array.codecs)
    while chain:
        codec = chain.pop(0)
        name, settings = codec_name(codec), configuration_of(codec)
        if name == "sharding_indexed" and isinstance(inner := settings.get("codecs"), list):
            chain = list(inner)
        elif name in ("cast_value", "scale_offset"):
            after = _after(name, settings, given)
            if name == "cast_value":
                types = (given.data_type, after.data_type)
                after = replace(after, fill=_cast_either_way(given.fill, settings, "encode", types))
            passed.append((name, settings, given.data_type, after.data_type))
            given = after
        elif name not in ("transpose", "reshape"):
            break
    read = given.fill
    for name, settings, source, target in reversed(passed):
        if name == "cast_value":
            read = _cast_either_way(read, settings, "decode", (target, source))
        else:
            read = _unscaled(read, settings, source)
    return read


def _cast_either_way(
    number: float | None,
    settings: dict[str, Any],
    member: str,
    types: tuple[DataType | None, DataType | None],
) -> float | None:
    target = types[1]
    if number is None or target is None or target.numpy is None or target.kind not in REAL:
        return None
    made = mapped(number, settings.get("scalar_map"), member, types)
    return cast(number, settings, target) if made is False else made


def _unscaled(
    number: float | None, settings: dict[str, Any], data_type: DataType | None
) -> float | None:
    if number is None or data_type is None or data_type.numpy is None:
        return None
    given = (number, settings.get("offset", 0), settings.get("scale", 1))
    value, offset, scale = (as_type(one, data_type.numpy) for one in given)
    with np.errstate(all="ignore"):
        return float(value / scale + offset) if scale else None


def reshaped(wanted: Any, shape: list[int] | None) -> list[int] | None:
    """Return the shape that the codec reshape makes of one; None where it makes none, or where it is not known.

    Parameters
    ----------
    wanted
        The setting: for each dimension its length, the dimensions that it is made of, or −1.
    shape : list of int, or None
        The lengths of what it is given.
    """
    if shape is None or not isinstance(wanted, list):
        return None
    made: list[int] = []
    for one in wanted:
        if isinstance(one, list):
            if not all(is_integer(n) and 0 <= n < len(shape) for n in one):
                return None
            made.append(math.prod(shape[n] for n in one))
        elif is_integer(one) and (one > 0 or one == -1):
            made.append(one)
        else:
            return None
    if made.count(-1) > 1:
        return None
    if -1 in made:
        rest = math.prod(n for n in made if n != -1)
        made[made.index(-1)] = math.prod(shape) // rest
    return made if math.prod(made) == math.prod(shape) else None
