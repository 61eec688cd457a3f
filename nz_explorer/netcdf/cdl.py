"""A hierarchy as CDL, the text that ``ncdump -h`` prints, each line with the place it was made from.

What NZ has and netCDF has not (unnamed dimensions, booleans, complex numbers, nested attributes) is
written as close to CDL as possible, with a comment that says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array, Dimension, Group, Node, dimension_table

NETCDF_TYPES = {
    "int8": "byte",
    "uint8": "ubyte",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "int64",
    "uint64": "uint64",
    "float32": "float",
    "float64": "double",
    "string": "string",
}
SUFFIXES = {
    "int8": "b",
    "uint8": "UB",
    "int16": "s",
    "uint16": "US",
    "int32": "",
    "uint32": "U",
    "int64": "LL",
    "uint64": "ULL",
    "float32": "f",
    "float64": "",
}
"""How ncdump marks the type of an attribute's numbers."""

MAX_VALUES = 100
"""Values of one attribute that are written out."""

_PLAIN = re.compile(r"[A-Za-z0-9_@+\-.]|[^\x00-\x7f]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class CdlLine:
    """A line of CDL.

    Attributes
    ----------
    text : str
        The line.
    path : str or None
        The node it speaks of.
    pointer : str or None
        Where in the node's document it stands, as reports write it.
    """

    text: str
    path: str | None = None
    pointer: str | None = None


def escape_name(name: str) -> str:
    """Return a name as CDL writes it: special characters behind a backslash."""
    escaped = "".join(
        char
        if _PLAIN.fullmatch(char)
        else f"\\{char}"
        if char.isprintable()
        else f"\\x{ord(char):02x}"
        for char in name
    )
    return f"\\{escaped}" if escaped[:1].isdigit() else escaped


def quote(text: str) -> str:
    """Return a string as CDL writes it."""
    return (
        '"'
        + "".join(
            _ESCAPES.get(char) or (char if char.isprintable() else f"\\u{ord(char):04x}")
            for char in text
        )
        + '"'
    )


def cdl(group: Node, name: str | None = None, *, below: bool = True) -> list[CdlLine]:
    """Return a group, and all below it, as CDL.

    Parameters
    ----------
    group : Node
        A group whose hierarchy is read as far as needed, or an array.
    name : str, optional
        The name after ``netcdf``; by default that of the source.
    below : bool
        Whether to write out the groups in it; else they are only named.
    """
    title = name or re.sub(
        r"\.(zarr|zip|nc)$", "", group.hierarchy.source.rstrip("/").rsplit("/", 1)[-1]
    )
    lines = [CdlLine(f"netcdf {escape_name(title)} {{", group.path, "")]
    if isinstance(group, Array):
        lines += _dimensions(dimension_table([group]), "")
        lines += [CdlLine("variables:"), *_variable(group, "")]
    elif isinstance(group, Group):
        lines += _group(group, "", below)
    lines.append(CdlLine("}"))
    return lines


def _group(group: Group, indent: str, below: bool) -> Iterator[CdlLine]:
    children = group.hierarchy.children(group)
    arrays = [child for child in children if isinstance(child, Array)]
    yield from _dimensions(dimension_table(arrays), indent)
    if arrays:
        yield CdlLine(f"{indent}variables:")
        for array in arrays:
            yield from _variable(array, indent)
    if group.attributes:
        yield CdlLine("")
        where = "global" if group.path == "/" else "group"
        yield CdlLine(f"{indent}// {where} attributes:", group.path, group.attribute_pointer())
        for key, value in group.attributes.items():
            yield _attribute(group, "", key, value, indent)
    for child in children:
        if isinstance(child, Array):
            continue
        yield CdlLine("")
        opening = f"{indent}group: {escape_name(child.name)} {{"
        if not below and child.problem is None:
            yield CdlLine(f"{opening} ... }}", child.path, "")
            continue
        yield CdlLine(opening, child.path, "")
        if below and isinstance(child, Group):
            yield from _group(child, f"{indent}  ", below)
        if child.problem is not None:
            yield CdlLine(f"{indent}  // {_comment(child.problem)}", child.path, "")
        yield CdlLine(f"{indent}  }} // group {escape_name(child.name)}", child.path, "")
    if group.listing_problem:
        yield CdlLine(f"{indent}// {_comment(group.listing_problem)}", group.path, "")


def _comment(text: str) -> str:
    return " ".join(text.split())


def dimension_name(array: Array, axis: int) -> str:
    """Return the name of an axis; netCDF-C's own ``_Anonymous_Dim_<length>`` where it has none."""
    names = array.dimension_names
    name = None if names is None else names[axis]
    return name or f"_Anonymous_Dim_{(array.shape or ())[axis]}"


def _dimensions(table: list[Dimension], indent: str) -> Iterator[CdlLine]:
    if not table:
        return
    yield CdlLine(f"{indent}dimensions:")
    seen: set[str] = set()
    for dimension in table:
        use = dimension.uses[0]
        name = dimension_name(use.array, use.axis)
        if name in seen:
            continue
        seen.add(name)
        note = "" if dimension.name else " // has no name in the store"
        if dimension.conflict:
            others = ", ".join(str(length) for length in dimension.lengths if length != use.length)
            note = f" // also used with length {others}"
        source = use.array.dimension_names_source
        pointer = (
            use.array.pointer("shape", use.axis)
            if source is None or source == "nczarr"
            else use.array.attribute_pointer("_ARRAY_DIMENSIONS", use.axis)
            if source == "_ARRAY_DIMENSIONS"
            else use.array.pointer("dimension_names", use.axis)
        )
        yield CdlLine(
            f"{indent}\t{escape_name(name)} = {use.length} ;{note}", use.array.path, pointer
        )


def netcdf_type(array: Array) -> tuple[str, str | None]:
    """Return the CDL type of an array and a remark where netCDF has none that fits."""
    data_type = array.data_type
    if data_type.name in NETCDF_TYPES:
        return NETCDF_TYPES[data_type.name], None
    if data_type.kind == "string":
        return "string", None
    if data_type.kind == "bytes" and data_type.itemsize == 1:
        return "char", None
    if data_type.kind == "bool":
        return "ubyte", "bool: netCDF has no such type"
    return "opaque", f"{_comment(data_type.text)}: netCDF has no such type"


def _variable(array: Array, indent: str) -> Iterator[CdlLine]:
    type_name, remark = netcdf_type(array)
    shape = array.shape or ()
    names = ", ".join(escape_name(dimension_name(array, axis)) for axis in range(len(shape)))
    brackets = f"({names})" if shape else ""
    notes = [note for note in (remark, array.problem) if note]
    comment = f" // {_comment('; '.join(notes))}" if notes else ""
    member = "dtype" if array.zarr_format == 2 else "data_type"
    yield CdlLine(
        f"{indent}\t{type_name} {escape_name(array.name)}{brackets} ;{comment}",
        array.path,
        array.pointer(member),
    )
    attributes = array.attributes
    if "_FillValue" not in attributes and array.fill is not None and array.fill.value is not None:
        value = array.fill.value  # Zarr v2: xarray keeps it as fill_value
        text = _value(value, array.data_type.name)
        yield CdlLine(
            f"{indent}\t\t{escape_name(array.name)}:_FillValue = {text} ;",
            array.path,
            array.pointer("fill_value"),
        )
    for key, value in attributes.items():
        if key == "_ARRAY_DIMENSIONS" or key.lower().startswith("_nczarr"):
            continue  # how the dialects store what the lines above say
        yield _attribute(array, array.name, key, value, indent)


def _attribute(node: Node, owner: str, key: str, value: Any, indent: str) -> CdlLine:
    note = ""
    if key == "_FillValue" and isinstance(node, Array) and node.fill is not None:
        if node.fill.value is None:
            text, note = quote(json.dumps(value)), " // cannot be decoded"
        else:
            text = _value(node.fill.value, node.data_type.name)
    else:
        text, note = _attribute_value(value)
    return CdlLine(
        f"{indent}\t\t{escape_name(owner)}:{escape_name(key)} = {text} ;{note}",
        node.path,
        node.attribute_pointer(key),
    )


def _attribute_value(value: Any) -> tuple[str, str]:
    items = value if isinstance(value, list) else [value]
    kinds = {type(item) for item in items}
    if items and kinds <= {int}:
        return _values(items, "int64")
    if items and kinds <= {int, float}:
        return _values([float(item) for item in items[: MAX_VALUES + 1]], "float64")
    if items and kinds <= {str}:
        words = ", ".join(quote(item) for item in items[:MAX_VALUES])
        return (f"string {words}" if len(items) > 1 else words), _more(items)
    text = json.dumps(value, ensure_ascii=False)
    return quote(text[:2000]), " // JSON: netCDF has no such type"


def _values(items: list[Any], type_name: str) -> tuple[str, str]:
    return ", ".join(_value(item, type_name) for item in items[:MAX_VALUES]), _more(items)


def _more(items: list[Any]) -> str:
    return " // and more" if len(items) > MAX_VALUES else ""


def _value(value: Any, type_name: str) -> str:
    """Return a number as ncdump prints it: ``-9999.f``, ``5s``, ``NaNf``."""
    if isinstance(value, (str, bytes, np.bytes_)):
        return quote(value.decode("latin-1") if isinstance(value, bytes) else str(value))
    suffix = SUFFIXES.get(type_name, "")
    if isinstance(value, (bool, np.bool_)):
        return f"{int(value)}UB"
    if isinstance(value, (complex, np.complexfloating)):
        return quote(str(value))
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return f"NaN{suffix}"
        if np.isinf(value):
            return f"{'-' if value < 0 else ''}Infinity{suffix}"
        digits = 7 if type_name == "float32" else 15
        text = f"{float(value):.{digits}g}"
        if "." not in text and "e" not in text:
            text += "."
        return text + suffix
    return f"{value}{suffix}"
