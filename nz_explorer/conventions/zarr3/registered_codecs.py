"""Z3: what the registrations of codecs say in words, beyond their schemas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.nodes import V3, is_integer, is_number, shown
from nz_explorer.conventions.zarr3.registered_extensions import CODECS
from nz_explorer.conventions.zarr3.representations import (
    REAL,
    ROUNDINGS,
    Representation,
    cast,
    mapped,
    representations,
    reshaped,
    same,
)
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name, configuration_of
from nz_explorer.model.data_type import DataType, parse_v3
from nz_explorer.model.fill_values import decode_storage_fill
from nz_explorer.model.fill_values.spelling import value_text
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from collections.abc import Callable

TAKES = {
    "scale_offset": (REAL, "integers and floats"),
    "cast_value": (REAL, "integers and floats"),
    "bitround": (REAL | {"complex", "datetime", "timedelta"}, "numbers"),
    "zfp": (REAL | {"datetime", "timedelta"}, "integers and floats"),
    "packbits": (REAL | {"bool", "complex"}, "numbers and bool"),
    "n5_default": (REAL, "integers of 8 to 64 bits, float32 and float64"),
}
"""The kinds of data types that a codec supports, and what they are called."""
N5_TYPES = frozenset(
    [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
    + ["float32", "float64"]
)
"""What N5 has of them."""


@rule("Z3-CODEC-014", on="array", formats=V3, needs=("codecs", "data type"))
def registered_types(array: Array) -> Iterator[Fail]:
    """Require data types that a codec can compute with."""
    computing = [(at, name) for at, name in _named(array) if name in TAKES]
    given = representations(array) if computing else {}
    for pointer, name in computing:
        kinds, text = TAKES[name]
        data_type = given[pointer].data_type if pointer in given else None
        if data_type is None or not data_type.known:
            continue
        of_n5 = name != "n5_default" or data_type.name in N5_TYPES
        if data_type.kind not in kinds or not of_n5:
            yield Fail(
                pointer,
                f"the codec {name} cannot encode the data type {data_type.text}: it is for {text}",
            )


def _named(array: Array) -> Iterator[tuple[str, str]]:
    """Yield the pointer and the name of each codec that has one."""
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        name = codec_name(codec)
        if name is not None:
            yield pointer, name


@rule("Z3-CODEC-011", on="array", formats=V3, needs=("codecs", "data type"))
def registered_settings(array: Array) -> Iterator[Fail]:
    """Require of settings what the text of a registration says of them."""
    checked = [
        (pointer, codec, CHECKS[name])
        for pointer, codec in all_codecs(array.codecs, "/codecs")
        if (name := codec_name(codec)) in CHECKS
    ]
    before = representations(array) if checked else {}
    for pointer, codec, check in checked:
        settings = codec.get("configuration", {}) if isinstance(codec, dict) else {}
        if isinstance(settings, dict):
            given = before.get(pointer, Representation(None))
            yield from check(f"{pointer}/configuration", settings, given)


def _scale_offset(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    data_type = given.data_type
    if data_type is None or data_type.kind not in REAL:
        return
    for member in ("offset", "scale"):
        if member in settings and not _is_value(settings[member], data_type):
            yield Fail(
                f"{at}/{member}",
                f"{member} of scale_offset must be a value of {data_type.text}, spelled as a fill value,"
                f" got {shown(settings[member])}",
            )
    scale = settings.get("scale")
    if is_number(scale) and not scale:
        yield Fail(
            f"{at}/scale",
            f"scale of scale_offset is {shown(scale)}: everything is written as 0, and reading divides by it",
        )


def _is_value(given: Any, data_type: DataType) -> bool:
    return decode_storage_fill(given, data_type, 3).value is not None


def _cast_value(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    name = settings.get("data_type")
    target = parse_v3(name) if isinstance(name, str | dict) else None
    if target is None:
        return
    if target.known and target.kind not in REAL:
        yield Fail(
            f"{at}/data_type",
            f"cast_value cannot make {target.text}: it is for integers and floats",
        )
        return
    if settings.get("out_of_range") == "wrap" and target.kind == "float":
        yield Fail(
            f"{at}/out_of_range",
            f"out_of_range of cast_value may be wrap for integers only, and data_type is {target.text}",
        )
    yield from _scalar_map(f"{at}/scalar_map", settings.get("scalar_map"), given.data_type, target)
    yield from _fill_is_lost(at, settings, given, target)


def _scalar_map(at: str, given: Any, source: DataType | None, target: DataType) -> Iterator[Fail]:
    if not isinstance(given, dict):
        return
    for member, pairs in given.items():
        if member not in ("encode", "decode"):
            yield Fail(f"{at}/{member}", f"scalar_map of cast_value has no {shown(member)}")
            continue
        if not isinstance(pairs, list):
            yield Fail(
                f"{at}/{member}", f"{member} of scalar_map must be a list, got {shown(pairs)}"
            )
            continue
        types = (source, target) if member == "encode" else (target, source)
        for i, pair in enumerate(pairs):
            if not isinstance(pair, list) or len(pair) != 2:
                yield Fail(
                    f"{at}/{member}/{i}",
                    f"an entry of {member} must be a list of two values, got {shown(pair)}",
                )
                continue
            for j, (value, data_type) in enumerate(zip(pair, types, strict=True)):
                # the example of the text has "+Infinity", which no fill value is
                if data_type is None or data_type.numpy is None or value == "+Infinity":
                    continue
                if not _is_value(value, data_type):
                    yield Fail(
                        f"{at}/{member}/{i}/{j}",
                        f"{member} of scalar_map must have a value of {data_type.text} here, got {shown(value)}",
                    )


def _fill_is_lost(
    at: str, settings: dict[str, Any], given: Representation, target: DataType
) -> Iterator[Fail]:
    """Fail where the fill value, which is cast as elements are, becomes nothing, or is another one when it is read."""
    fill, scalar_map, source = given.fill, settings.get("scalar_map"), given.data_type
    if fill is None or target.kind not in REAL or target.numpy is None:
        return
    made = mapped(fill, scalar_map, "encode", (source, target))
    if made is False:
        made = cast(fill, settings, target)
        if made is None:
            yield from _not_cast(at, fill, settings, target)
    if made is None or source is None or source.numpy is None:
        return
    back = mapped(made, scalar_map, "decode", (target, source))
    if back is False:
        back = cast(made, settings, source)
    elif back is None:
        return
    if back is None or not same(back, fill):
        read = "nothing" if back is None else _text(back)
        # zarrs (August 2026) refuses it, and zarr-python does not ask: src/zarr/codecs/cast_value.py
        yield Fail(
            at,
            f"cast_value stores the fill value {_text(fill)} as {_text(made)}, which is read as {read}: readers must refuse"
            " a fill value that does not come back, as zarrs does",
            impact="convention",
            readers={},
        )


def _text(number: float) -> str:
    return value_text(np.float64(number)).removesuffix(".0")


def _not_cast(at: str, fill: float, settings: dict[str, Any], target: DataType) -> Iterator[Fail]:
    """Fail on a fill value that is no integer, or out of range; a rounding that is not known is reported elsewhere."""
    if not math.isfinite(fill):
        yield Fail(
            at,
            f"cast_value cannot make {target.text} of the fill value {value_text(np.float64(fill))}, and scalar_map does not say what it becomes",
        )
    elif "out_of_range" not in settings and settings.get("rounding", "nearest-even") in ROUNDINGS:
        limits = np.iinfo(target.numpy)
        yield Fail(
            at,
            f"the fill value is {fill:g} here, outside {target.text} [{limits.min}, {limits.max}]: cast_value must refuse it,"
            " as out_of_range does not say what it becomes",
        )


def _reshape(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    wanted, shape = settings.get("shape"), given.shape
    if not isinstance(wanted, list):
        return
    axes = [n for one in wanted if isinstance(one, list) for n in one]
    if not all(_is_length(one) for one in wanted) or not all(map(is_integer, axes)):
        why = "each is a positive integer, −1 or a list of dimensions"
    elif sum(one == -1 for one in wanted) > 1:
        why = "−1 may occur once"
    elif any(a >= b for a, b in pairwise(axes)):
        why = "the dimensions that it lists must rise"
    elif shape is None:
        return
    elif (made := reshaped(wanted, shape)) is None:
        why = f"it cannot be made of a chunk of {shape}"
    elif (moved := _moved(wanted, made, shape)) is not None:
        why = (
            f"dimension {moved} of {made} is not where {wanted[moved]} is in a chunk of {shape};"
            " it runs along other elements"
        )
    else:
        return
    yield Fail(f"{at}/shape", f"shape of reshape is {shown(wanted)}: {why}")


def _moved(wanted: list[Any], made: list[int], shape: list[int]) -> int | None:
    """Return a dimension before or after which there is not what is around the dimensions that it is made of."""
    for i, one in enumerate(wanted):
        if isinstance(one, list) and one:
            # the first product is printed without a colon, with which it holds for the examples of the text
            before = math.prod(made[:i]) == math.prod(shape[: one[0]])
            if not before or math.prod(made[i + 1 :]) != math.prod(shape[one[-1] + 1 :]):
                return i
    return None


def _is_length(given: Any) -> bool:
    return isinstance(given, list) or (is_integer(given) and (given > 0 or given == -1))


def _packbits(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    for schema, text in {"start_bit": "first_bit", "end_bit": "last_bit"}.items():
        if schema in settings:
            yield Fail(
                f"{at}/{schema}",
                f"{schema} of packbits is in the schema of its registration only; its text says {text}",
                severity="warning",
            )
    padding = settings.get("padding_encoding")
    if padding in ("start_byte", "end_byte"):
        yield Fail(
            f"{at}/padding_encoding",
            f"{padding} is in the schema of the registration of packbits only; its text says"
            f" {'first' if padding == 'start_byte' else 'last'}_byte",
            severity="warning",
        )
    first, last = settings.get("first_bit") or 0, settings.get("last_bit")
    if not is_integer(first) or not is_integer(last):
        return
    data_type = given.data_type
    bits = _bits(data_type)
    if last < first:
        yield Fail(f"{at}/last_bit", f"last_bit of packbits is {last}, before first_bit {first}")
    elif bits is not None and data_type is not None and last >= bits:
        yield Fail(
            f"{at}/last_bit",
            f"last_bit of packbits is {last}, but the bits of {data_type.text} end with {bits - 1}",
        )


def _bits(data_type: DataType | None) -> int | None:
    """Return how many bits a component of a core type has."""
    if data_type is None or data_type.status != "core" or data_type.itemsize is None:
        return None
    if data_type.kind == "bool":
        return 1
    return data_type.itemsize * (4 if data_type.kind == "complex" else 8)


ZFP = {
    "reversible": (),
    "expert": ("minbits", "maxbits", "maxprec", "minexp"),
    "fixed_accuracy": ("tolerance",),
    "fixed_rate": ("rate",),
    "fixed_precision": ("precision",),
}
"""The settings that zfp needs in each mode."""


def _zfp(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    mode = settings.get("mode")
    needed = ZFP.get(mode) if isinstance(mode, str) else None
    if needed is not None:
        for member in needed:
            if member not in settings:
                yield Fail(f"{at}/{member}", f"zfp needs {member} in the mode {mode}")
        for member in CODECS["zfp"].members or ():
            if member in settings and member not in (*needed, "mode"):
                yield Fail(f"{at}/{member}", f"zfp has no {member} in the mode {mode}")
    if given.shape is not None and len(given.shape) > 4:
        yield Fail(
            at.removesuffix("/configuration"),
            f"zfp encodes at most 4 dimensions, and the chunks have {len(given.shape)}",
        )


def _n5(at: str, settings: dict[str, Any], given: Representation) -> Iterator[Fail]:
    chain = settings.get("codecs")
    if not isinstance(chain, list):
        return
    names = [codec_name(codec) for codec in chain]
    if names[:2] != ["transpose", "bytes"] or len(chain) > 3:
        yield Fail(
            f"{at}/codecs",
            "the codecs of n5_default must be transpose, then bytes, then one bytes-to-bytes codec or none",
        )
        return
    order = configuration_of(chain[0]).get("order")
    rank = len(given.shape) if given.shape is not None else None
    if isinstance(order, list) and order != list(range(len(order)))[::-1] and rank == len(order):
        yield Fail(
            f"{at}/codecs/0/configuration/order",
            f"the order of transpose in n5_default must reverse all dimensions, got {shown(order)}",
        )
    if configuration_of(chain[1]).get("endian", "big") != "big":
        yield Fail(
            f"{at}/codecs/1/configuration/endian",
            "N5 is big-endian: endian must be big in n5_default",
        )


def _conditional(at: str, settings: dict[str, Any], _: Representation) -> Iterator[Fail]:
    chain, bits = settings.get("codecs"), settings.get("header_bits")
    if not isinstance(chain, list):
        yield Fail(
            f"{at}/codecs",
            f"conditional needs a list of codecs, got {shown(chain) if 'codecs' in settings else 'nothing'}",
        )
        return
    for i, codec in enumerate(chain):
        known = CODECS.get(codec_name(codec) or "")
        if known is not None and known.kind != "bytes to bytes":
            yield Fail(
                f"{at}/codecs/{i}",
                f"the codecs of conditional must turn bytes into bytes, but {codec_name(codec)} is {known.kind}",
            )
    if "header_bits" not in settings:
        return
    if not is_integer(bits) or bits % 8 or bits < len(chain):
        yield Fail(
            f"{at}/header_bits",
            f"header_bits of conditional must be a multiple of 8 and enough for {plural(len(chain), 'codec')},"
            f" got {shown(bits)}",
        )


def _bitround(at: str, settings: dict[str, Any], _: Representation) -> Iterator[Fail]:
    if settings.get("keepbits") == 0 and is_integer(settings["keepbits"]):
        yield Fail(
            f"{at}/keepbits",
            "keepbits of bitround is 0; the text of its registration asks for at least 1, its schema does not",
            severity="warning",
        )


CHECKS: dict[str, Callable[[str, dict[str, Any], Representation], Iterator[Fail]]] = {
    "scale_offset": _scale_offset,
    "cast_value": _cast_value,
    "reshape": _reshape,
    "packbits": _packbits,
    "zfp": _zfp,
    "n5_default": _n5,
    "conditional": _conditional,
    "bitround": _bitround,
}
"""What is checked of the settings of a codec, by its name."""


@rule("Z3-KEY-001", on="array", formats=V3, needs=("codecs",))
def keys_of_n5(array: Array) -> Iterator[Fail]:
    """Require of blocks of N5 the keys that N5 gives them."""
    keys = array.metadata.get("chunk_key_encoding")
    if all(codec_name(codec) != "n5_default" for codec in array.codecs):
        return
    name = codec_name(keys)
    if name == "default" or (name == "v2" and configuration_of(keys).get("separator") != "/"):
        yield Fail(
            "/chunk_key_encoding",
            'blocks of N5 have the keys of the encoding v2 with the separator "/"',
            readers={},
            impact="convention",
        )
