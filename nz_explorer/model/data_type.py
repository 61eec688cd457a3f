"""What a ``data_type`` (Zarr v3) or ``dtype`` (Zarr v2) member means.

Names are pinned as data, so that what is called known does not change with the version of
zarr-python that happens to be installed: the core of Zarr v3.1, the register of
``zarr-developers/zarr-extensions`` at commit 4da7b37, and the names that zarr-python writes
without having registered them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeGuard

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.text.phrases import plural

Kind = Literal[
    "bool",
    "int",
    "uint",
    "float",
    "complex",
    "string",
    "bytes",
    "raw",
    "datetime",
    "timedelta",
    "struct",
    "unknown",
]
Status = Literal["core", "registered", "unknown", "malformed"]

NZ_TYPES: tuple[str, ...] = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
"""The 13 data types that every NZ reader must decode (NZ-1.0, Array Data Types)."""

_NUMERIC_KINDS: dict[str, Kind] = {
    "b": "bool",
    "i": "int",
    "u": "uint",
    "f": "float",
    "c": "complex",
}

# Sizes are those of one element under the ``bytes`` codec: sub-byte types take a whole byte.
_MINI_FLOATS: dict[str, int] = {
    "bfloat16": 2,
    "float4_e2m1fn": 1,
    "float6_e2m3fn": 1,
    "float6_e3m2fn": 1,
    "float8_e3m4": 1,
    "float8_e4m3": 1,
    "float8_e4m3b11fnuz": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2": 1,
    "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1,
}
_WITHOUT_NUMPY: dict[str, tuple[Kind, int]] = {
    **{name: ("float", size) for name, size in _MINI_FLOATS.items()},
    **{
        f"complex_{name}": ("complex", 2 * size)
        for name, size in {**_MINI_FLOATS, "float16": 2}.items()
    },
    "int2": ("int", 1),
    "int4": ("int", 1),
    "uint2": ("uint", 1),
    "uint4": ("uint", 1),
}
_SYNONYMS: dict[str, str] = {"complex_float32": "complex64", "complex_float64": "complex128"}
_VARIABLE: dict[str, Kind] = {
    "string": "string",
    "variable_length_utf8": "string",
    "bytes": "bytes",
    "variable_length_bytes": "bytes",
}
# name: kind, letter of the numpy type, bytes per unit of that letter
_FIXED: dict[str, tuple[Kind, str, int]] = {
    "fixed_length_utf32": ("string", "U", 4),
    "fixed_length_ascii": ("bytes", "S", 1),
    "null_terminated_bytes": ("bytes", "S", 1),
    "raw_bytes": ("raw", "V", 1),
}
_TIMES: dict[str, tuple[Kind, str]] = {
    "numpy.datetime64": ("datetime", "M8"),
    "numpy.timedelta64": ("timedelta", "m8"),
}
_STRUCTS = ("struct", "structured")
_TIME_UNITS = frozenset(
    ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic")
)

REGISTERED: frozenset[str] = frozenset(
    (*_WITHOUT_NUMPY, *_SYNONYMS, *_VARIABLE, *_FIXED, *_TIMES, *_STRUCTS)
)
"""Names of extension data types that are known, whether or not numpy has their like."""

_RAW_BITS = re.compile(r"r([1-9][0-9]{0,9})")
_TYPESTR = re.compile(r"([<>|=]?)([biufcmMSUVOt])([0-9]{0,9})(?:\[([0-9]{0,20})([a-zA-Zμ]+)\])?")
_OBJECT_CODECS: dict[str, tuple[str, Kind]] = {
    "vlen-utf8": ("string", "string"),
    "json2": ("string", "string"),
    "vlen-bytes": ("variable_length_bytes", "bytes"),
}
_LARGEST_ITEM = 2**31 - 1  # what numpy can hold
_DEEPEST_STRUCT = 16


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type as the metadata gives it, and what is known of it.

    Parameters
    ----------
    name
        The canonical name of Zarr v3, such as ``float32``, for v2 typestrs too; the name as given
        where it is not known.
    kind
        The family of its values.
    itemsize
        Bytes of one decoded element; None where elements vary or the type is not known.
    numpy
        The numpy type with the byte order that a v2 typestr asks for; object for variable-length
        strings and bytes; None where numpy has nothing like it.
    nz
        Whether it is one of the 13 types of NZ-1.0.
    status
        ``core`` (Zarr v3.1), ``registered`` (a known extension), ``unknown``, or ``malformed``.
    given
        The value of the member.
    text
        A short text for people.
    """

    name: str
    kind: Kind
    itemsize: int | None
    numpy: np.dtype[Any] | None
    nz: bool
    status: Status
    given: Any
    text: str

    @property
    def known(self) -> bool:
        """Whether the name means something here."""
        return self.status in ("core", "registered")


def parse_v3(value: Any) -> DataType:
    """Interpret the ``data_type`` of a Zarr v3 array.

    Parameters
    ----------
    value
        Any JSON value: a name, or an object with ``name`` and ``configuration``.

    Returns
    -------
    DataType
        ``unknown`` or ``malformed`` where it is not a known type. Never raises.

    Notes
    -----
    Source: Zarr v3.1 core, Data Types; zarr-extensions, data-types; NZ-1.0, Array Data Types.
    See https://github.com/zarr-conventions/nz/blob/v1/README.md,
    https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html,
    https://github.com/zarr-developers/zarr-extensions.
    """
    return _v3_name(value) if isinstance(value, str) else _v3(value, 0)


def parse_v2(value: Any, object_codec: str | None = None) -> DataType:
    """Interpret the ``dtype`` of a Zarr v2 array.

    Parameters
    ----------
    value
        Any JSON value: a numpy typestr, or a list of fields of a structured type.
    object_codec
        The ``id`` of the filter that turns objects into bytes, such as ``vlen-utf8``; it alone
        determines what ``|O`` contains.

    Returns
    -------
    DataType
        Named as in Zarr v3. ``unknown`` or ``malformed`` where it is not a known type. Spellings
        that numpy accepts and the specification does not, such as ``<u1``, are understood.
        Never raises.

    Notes
    -----
    Source: Zarr v2, Data type encoding (OGC 21-050r1, 6.3).
    See https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html.
    """
    if isinstance(value, str):
        return _v2_typestr(value, object_codec)
    return _v2_struct(value, 0)


# --- version 3 -------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _v3_name(name: str) -> DataType:
    return _v3(name, 0)


def _v3(value: Any, depth: int) -> DataType:
    if isinstance(value, str):
        return _v3_extension(value, {}, value, depth)
    if not isinstance(value, dict):
        return _malformed(value, "neither a name nor an object")
    name, configuration = value.get("name"), value.get("configuration", {})
    if not isinstance(name, str):
        return _malformed(value, "an object without a name")
    if not isinstance(configuration, dict):
        return _malformed(value, "its configuration is not an object", name)
    return _v3_extension(name, configuration, value, depth)


def _v3_extension(name: str, configuration: dict[str, Any], given: Any, depth: int) -> DataType:
    if name in _FIXED:
        return _v3_fixed(name, configuration, given)
    if name in _TIMES:
        return _v3_time(name, configuration, given)
    if name in _STRUCTS:
        return _v3_struct(name, configuration, given, depth)
    found = _v3_plain(name, given)
    if configuration and found.status != "unknown":
        return _malformed(given, f"{name} takes no configuration", name)
    return found


def _v3_plain(name: str, given: Any) -> DataType:  # one per family
    if name in NZ_TYPES or name == "float16":
        return _numeric(np.dtype(name), given)
    if name in _SYNONYMS:
        same = _numeric(np.dtype(_SYNONYMS[name]), given)
        return replace(same, name=name, nz=False, status="registered", text=f"{name} ({same.name})")
    if name in _VARIABLE:
        return _known(name, _VARIABLE[name], np.dtype(object), given)
    if name in _WITHOUT_NUMPY:
        kind, size = _WITHOUT_NUMPY[name]
        return DataType(
            name, kind, size, None, nz=False, status="registered", given=given, text=name
        )
    raw = _RAW_BITS.fullmatch(name)
    if raw:
        bits = int(raw[1])
        if bits % 8 or bits // 8 > _LARGEST_ITEM:
            return _malformed(given, "the bits of r<N> must be a multiple of 8", name)
        return _known(name, "raw", np.dtype(f"V{bits // 8}"), given, status="core")
    return DataType(name, "unknown", None, None, nz=False, status="unknown", given=given, text=name)


def _v3_fixed(name: str, configuration: dict[str, Any], given: Any) -> DataType:
    kind, letter, unit = _FIXED[name]
    size = configuration.get("length_bytes")
    if not _is_int(size) or not unit <= size <= _LARGEST_ITEM or size % unit:
        wanted = "an integer above 0" if unit == 1 else f"a multiple of {unit} above 0"
        return _malformed(given, f"{name} needs length_bytes, {wanted}", name)
    dtype = np.dtype(f"{letter}{size // unit}")
    return _known(name, kind, dtype, given, text=f"{name} ({plural(size, 'byte')})")


def _v3_time(name: str, configuration: dict[str, Any], given: Any) -> DataType:
    kind, letter = _TIMES[name]
    unit, factor = configuration.get("unit"), configuration.get("scale_factor", 1)
    if not isinstance(unit, str) or unit not in _TIME_UNITS:
        return _malformed(given, f"{name} needs a unit of time", name)
    if not _is_int(factor) or not 1 <= factor <= _LARGEST_ITEM:
        return _malformed(given, f"{name} needs a scale_factor from 1 to 2147483647", name)
    return _known(name, kind, _time_type("", letter, factor, unit), given)


def _v3_struct(name: str, configuration: dict[str, Any], given: Any, depth: int) -> DataType:
    fields = configuration.get("fields")
    if not isinstance(fields, list) or not fields or depth >= _DEEPEST_STRUCT:
        return _malformed(given, f"{name} needs a list of fields", name)
    pairs: list[tuple[Any, DataType]] = []
    for field in fields:
        if isinstance(field, dict):
            pairs.append((field.get("name"), _v3(field.get("data_type"), depth + 1)))
        elif isinstance(field, list) and len(field) == 2:  # the legacy form
            pairs.append((field[0], _v3(field[1], depth + 1)))
        else:
            return _malformed(given, "a field is neither an object nor a pair", name)
    return _struct(name, pairs, given)


# --- version 2 -------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _v2_typestr(text: str, object_codec: str | None) -> DataType:
    match = _TYPESTR.fullmatch(text)
    if match is None:
        return DataType(
            text, "unknown", None, None, nz=False, status="unknown", given=text, text=text
        )
    order, letter, size, factor, unit = match.groups()
    if letter == "O":
        return _v2_object(text, object_codec)
    if letter in "mM":
        return _v2_time(text, order, letter, size, (factor, unit))
    if unit is not None or not size or int(size) > _LARGEST_ITEM:
        return _malformed(text, "not a typestr of numpy")
    if letter in _NUMERIC_KINDS:
        return _v2_numeric(text, f"{order}{letter}{size}")
    return _v2_fixed(text, order, letter, int(size))


def _v2_numeric(text: str, typestr: str) -> DataType:
    try:
        return _numeric(np.dtype(typestr), text)
    except TypeError:
        return _malformed(text, "numpy has no such type")


def _v2_time(
    text: str, order: str, letter: str, size: str, unit: tuple[str | None, str | None]
) -> DataType:
    factor, name_of_unit = unit
    if size != "8" or not _is_time_unit(factor, name_of_unit):
        return _malformed(text, "not a time type of numpy")
    name = "numpy.datetime64" if letter == "M" else "numpy.timedelta64"
    dtype = _time_type(order, f"{letter}8", int(factor or 1), name_of_unit or "generic")
    return _known(name, _TIMES[name][0], dtype, text)


def _v2_fixed(text: str, order: str, letter: str, size: int) -> DataType:
    names: dict[str, tuple[str, Kind, int]] = {
        "S": ("null_terminated_bytes", "bytes", 1),
        "U": ("fixed_length_utf32", "string", 4),
        "V": ("raw_bytes", "raw", 1),
    }
    if letter not in names or size * names[letter][2] > _LARGEST_ITEM:
        return _malformed(text, "not a typestr of Zarr")
    name, kind, unit = names[letter]
    dtype = np.dtype(f"{order}{letter}{size}")
    return _known(name, kind, dtype, text, text=f"{name} ({plural(size * unit, 'byte')})")


def _v2_object(text: str, object_codec: str | None) -> DataType:
    if object_codec in _OBJECT_CODECS:
        name, kind = _OBJECT_CODECS[object_codec]
        return _known(name, kind, np.dtype(object), text)
    return DataType(
        "object",
        "unknown",
        None,
        np.dtype(object),
        nz=False,
        status="registered",
        given=text,
        text="object" if object_codec is None else f"object ({object_codec})",
    )


def _v2_struct(value: Any, depth: int) -> DataType:
    if not isinstance(value, list) or not value or depth >= _DEEPEST_STRUCT:
        return _malformed(value, "neither a typestr nor a list of fields")
    pairs: list[tuple[Any, DataType]] = []
    for number, field in enumerate(value):
        if not isinstance(field, list) or len(field) not in (2, 3):
            return _malformed(value, "a field is neither a pair nor a triple", "struct")
        name, inner = field[:2]
        simple = isinstance(inner, str)
        member = _v2_typestr(inner, None) if simple else _v2_struct(inner, depth + 1)
        if member.numpy is None:
            what = member.text if isinstance(inner, list) and inner else json_text(inner, 40)
            return _malformed(value, f"{what} is no type of a field", "struct")
        if len(field) == 3:
            member = _subarray(member, field[2])
        padding = name == "" and member.kind == "raw"  # so NumPy describes it, and names it
        pairs.append((f"f{number}" if padding else name, member))
    return _struct("struct", pairs, value)


def _subarray(member: DataType, shape: Any) -> DataType:
    if not member.itemsize:
        return _malformed(shape, "a field of no size has no shape")
    lengths = shape if isinstance(shape, list) else [shape]
    count = 1
    for length in lengths:
        if not _is_int(length) or length < 0:
            return _malformed(shape, "the shape of a field is not a list of lengths")
        count *= length
    if count * member.itemsize > _LARGEST_ITEM or len(lengths) > 32:
        return _malformed(shape, "the shape of a field is too large")
    dtype = np.dtype((member.numpy, tuple(lengths)))
    text = f"{member.text}[{', '.join(map(str, lengths))}]"
    return replace(member, numpy=dtype, itemsize=dtype.itemsize, text=text)


# --- both ------------------------------------------------------------------------------------


def _numeric(dtype: np.dtype[Any], given: Any) -> DataType:
    name = dtype.name
    known: Status = "core" if name in NZ_TYPES or name == "float16" else "unknown"
    swapped = dtype.itemsize > 1 and dtype.str.startswith(">")
    return DataType(
        name=name,
        kind=_NUMERIC_KINDS[dtype.kind],
        itemsize=dtype.itemsize,
        numpy=dtype,
        nz=name in NZ_TYPES,
        status=known,
        given=given,
        text=f"{name} (big-endian)" if swapped else name,
    )


def _known(
    name: str,
    kind: Kind,
    dtype: np.dtype[Any],
    given: Any,
    *,
    status: Status = "registered",
    text: str | None = None,
) -> DataType:
    if text is None:
        text = dtype.name if kind in ("datetime", "timedelta") else name
    size = None if dtype.hasobject else dtype.itemsize
    return DataType(name, kind, size, dtype, nz=False, status=status, given=given, text=text)


NO_DATA_TYPE = DataType("null", "unknown", None, None, False, "malformed", None, "no data type")
"""Of an array whose metadata have none."""


def _malformed(given: Any, why: str, name: str | None = None) -> DataType:
    shown = json_text(given, 40)
    return DataType(
        name=shown if name is None else name,
        kind="unknown",
        itemsize=None,
        numpy=None,
        nz=False,
        status="malformed",
        given=given,
        text=f"{shown} ({why})",
    )


def _struct(name: str, fields: list[tuple[Any, DataType]], given: Any) -> DataType:
    names = [label for label, _ in fields]
    for label in names:
        if not isinstance(label, str) or not label:
            why = None if label in (None, "") else f"the name {json_text(label, 40)} is no text"
            return _malformed(given, why or "a field without a name", name)
    if len(set(names)) != len(names):
        return _malformed(given, "two fields of one name", name)
    for label, member in fields:
        if member.status == "malformed" or (member.numpy is not None and member.numpy.hasobject):
            return _malformed(given, f"the type of field {label!r} cannot be in a struct", name)
    text = f"{name} {{{', '.join(f'{label}: {member.text}' for label, member in fields)}}}"
    text = text if len(text) <= 120 else f"{text[:117]}…}}"
    if any(member.numpy is None for _, member in fields):
        return DataType(
            name, "struct", None, None, nz=False, status="registered", given=given, text=text
        )
    if sum(member.itemsize or 0 for _, member in fields) > _LARGEST_ITEM:
        return _malformed(given, "its fields are too large", name)
    dtype = np.dtype([(label, member.numpy) for label, member in fields])
    return _known(name, "struct", dtype, given, text=text)


def _is_time_unit(factor: str | None, unit: str | None) -> bool:
    return unit is None or (unit in _TIME_UNITS and 1 <= int(factor or 1) <= _LARGEST_ITEM)


def _time_type(order: str, letter: str, factor: int, unit: str) -> np.dtype[Any]:
    if unit == "generic":
        return np.dtype(f"{order}{letter}")
    return np.dtype(f"{order}{letter}[{factor}{'us' if unit == 'μs' else unit}]")


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
