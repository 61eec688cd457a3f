"""Z3: fill values of registered data types, each as its registration spells them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import TYPE_ERROR, V3, is_integer, shown
from nz_explorer.conventions.zarr3.registered_extensions import UNREGISTERED_TYPES
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.data_type import DataType, parse_v3
from nz_explorer.model.fill_values import decode_storage_fill
from nz_explorer.model.fill_values.spelling import from_base64
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

_INTEGERS = {"int2": (-2, 1), "uint2": (0, 3), "int4": (-8, 7), "uint4": (0, 15)}
_WITHOUT_NAMES = ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")
_WITHOUT_INFINITY = ("float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
_ABOVE_ZERO = "float8_e8m0fnu"
"""The float that has neither a sign nor a zero."""
_PUT_UP_WITH = frozenset({"spelling", "rounding", "range"})
"""What is wrong with a float, and legal all the same: Zarr rounds, to infinity where it has to."""
_NOT_OPENED = frozenset({"struct", "variable_length_utf8", "fixed_length_ascii"})
"""Types that zarr-python opens with no fill value at all, and struct since 3.2 alone."""
_REFUSES_RECORD = in_versions("since 3.2", "raises TypeError")


@rule("Z3-FV-007", on="array", formats=V3, needs=("data type",))
def fill_of_extension(array: Array) -> Iterator[Fail]:
    """Require what the registration of a data type says of its fill value."""
    data_type = array.data_type
    if data_type.status != "registered" or "fill_value" not in array.metadata:
        return
    given = array.metadata["fill_value"]
    if data_type.kind == "complex" and data_type.numpy is not None and given is not None:
        return  # Z3-FV-005
    wrong = _wrong(given, data_type)
    if wrong is not None:
        where, wanted, got = wrong
        of = f"{data_type.name}{f', field {where},' if where else ''}"
        yield Fail(
            "/fill_value",
            f"fill_value of {of} must be {wanted}, got {shown(got)}",
            severity="warning" if data_type.name in UNREGISTERED_TYPES else None,
            **_harm(given, data_type),
        )
    elif data_type.kind == "bytes" and isinstance(given, list):
        yield Fail(
            "/fill_value",
            f"a list of bytes is a valid fill_value of {data_type.name}, but zarr-python reads only base64",
            severity="info",
            impact="blocks",
            readers=TYPE_ERROR,
            fix=_as_base64,
        )


def _as_base64(node: Node) -> Draft | None:
    given = node.metadata.get("fill_value")
    if not _is_bytes(given):
        return None
    text = b64encode(bytes(given or ())).decode("ascii")
    return Draft("suggest", (replace("/fill_value", text),))


def _harm(given: Any, data_type: DataType) -> dict[str, Any]:
    """Return what comes of it, where it is not that zarr-python refuses the array."""
    taken = {
        "string": data_type.itemsize is None and isinstance(given, int | float),
        "datetime": isinstance(given, bool),
        "timedelta": isinstance(given, bool),
        "raw": isinstance(given, str),
        "bytes": isinstance(given, str) and from_base64(given) is not None,
    }
    cut = data_type.name == "fixed_length_utf32" and isinstance(given, str)
    if cut or taken.get(data_type.kind, False):
        return {"impact": "convention", "readers": {}}
    if data_type.name == "struct" and _is_refused(given, data_type):
        return {"impact": "blocks", "readers": _REFUSES_RECORD}
    if data_type.name in _NOT_OPENED or data_type.numpy is None:
        return {"impact": "convention", "readers": {}}
    return {}


def _is_refused(given: Any, data_type: DataType) -> bool:
    """Whether zarr-python refuses a fill value of a record; it takes base64, and objects that lack a field or have another."""
    if not isinstance(given, Mapping):
        return not _is_base64(given, data_type.itemsize)
    for name, field in _fields(data_type.given):
        value, kind = given.get(name, 0), parse_v3(field).kind
        if kind in ("int", "uint") and not (isinstance(value, int | float) and value % 1 == 0):
            return True
        if kind in ("datetime", "timedelta") and isinstance(value, str) and value != "NaT":
            return True
    return False


def _wrong(given: Any, data_type: DataType) -> tuple[str, str, Any] | None:
    """Return the field, what must be there and what is; None where the value is sound."""
    if data_type.kind == "struct" and data_type.name == "struct":
        return _wrong_record(given, data_type)
    if data_type.kind == "struct" and isinstance(given, dict):
        return _wrong_record(given, data_type)
    wanted = _wanted(given, data_type)
    return None if wanted is None else ("", wanted, given)


def _wrong_record(given: Any, data_type: DataType) -> tuple[str, str, Any] | None:
    fields = dict(_fields(data_type.given))
    if not isinstance(given, Mapping):
        return "", f"an object with the {plural(len(fields), 'field')} {', '.join(fields)}", given
    for name in (*fields, *given):
        if name not in given:
            return "", f"an object with all fields; {name} is missing", given
        if name not in fields:
            return "", f"an object with the fields of the type alone; it has no {name}", given
        wrong = _wrong(given[name], parse_v3(fields[name]))
        if wrong is not None:
            inner, wanted, got = wrong
            return f"{name}.{inner}" if inner else name, wanted, got
    return None


def _fields(given: Any) -> Iterator[tuple[str, Any]]:
    for field in given["configuration"]["fields"]:
        if isinstance(field, dict):
            yield field["name"], field["data_type"]
        else:
            yield field[0], field[1]


def _wanted(given: Any, data_type: DataType) -> str | None:
    kind, size = data_type.kind, data_type.itemsize
    if kind == "struct":
        return _unless(_is_base64(given, size), f"base64 of {plural(size or 0, 'byte')}")
    if kind in ("datetime", "timedelta"):
        sound = given == "NaT" or (is_integer(given) and -(2**63) <= given < 2**63)
        return _unless(sound, 'an integer of 64 bits or "NaT"')
    if kind == "string" and size is None:
        return _unless(isinstance(given, str), "a string")
    if kind == "string":
        most = (size or 0) // 4
        sound = isinstance(given, str) and len(given) <= most
        return _unless(sound, f"a string of at most {plural(most, 'character')}")
    if kind == "bytes" and size is None:
        sound = _is_bytes(given) or _is_base64(given, None)
        return _unless(sound, "base64, or a list of integers from 0 to 255")
    if kind == "bytes":
        decoded = from_base64(given) if isinstance(given, str) else None
        sound = decoded is not None and len(decoded) <= (size or 0)
        return _unless(sound, f"base64 of at most {plural(size or 0, 'byte')}")
    if kind == "raw" and data_type.status == "registered":
        return _unless(_is_base64(given, size), f"base64 of {plural(size or 0, 'byte')}")
    if kind == "raw":
        sound = _is_bytes(given) and len(given) == size
        return _unless(sound, f"{plural(size or 0, 'integer')} from 0 to 255")
    return _of_number(given, data_type)


def _of_number(given: Any, data_type: DataType) -> str | None:
    name, kind, size = data_type.name, data_type.kind, data_type.itemsize
    if name in _INTEGERS:
        low, high = _INTEGERS[name]
        sound = is_integer(given) and low <= given <= high
        return _unless(sound, f"an integer from {low} to {high}".replace("-", "−"))
    if kind == "float" and data_type.numpy is None:
        return _small_float(given, name, size or 1)
    if kind == "complex" and data_type.numpy is None:
        if not isinstance(given, list) or len(given) != 2:
            return "a pair [re, im]"
        part = name.removeprefix("complex_")
        wrong = [_wanted(one, parse_v3(part)) for one in given]
        return next((f"a pair [re, im], each {text}" for text in wrong if text), None)
    return _core(given, data_type)


def _core(given: Any, data_type: DataType) -> str | None:
    """Judge a field of a type that the core defines; a type that is not known is not judged."""
    if not data_type.known:
        return None
    problems = decode_storage_fill(given, data_type, 3).problems
    legal = _PUT_UP_WITH if data_type.kind == "float" else {"rounding"}
    if data_type.kind == "complex":
        legal = {"rounding", "range"}
    return _unless(all(p.kind in legal for p in problems), f"a value of {data_type.name}")


def _small_float(given: Any, name: str, size: int) -> str | None:
    names = ["NaN", "Infinity", "-Infinity"]
    if name in _WITHOUT_NAMES:
        names = []
    elif name in _WITHOUT_INFINITY:
        names = ["NaN"]
    bits = isinstance(given, str) and re.fullmatch(f"0x[0-9a-fA-F]{{{2 * size}}}", given)
    number = isinstance(given, int | float) and not isinstance(given, bool)
    least = "a number"
    if name == _ABOVE_ZERO:
        number, least = number and given > 0, "a number above 0"
    which = ", ".join(f'"{one}"' for one in names)
    text = f"{least}, {which} or its bits" if names else f"{least} or its bits"
    digits = f"{text} in {plural(2 * size, 'hexadecimal digit')} after 0x"
    return _unless(number or given in names or bool(bits), digits)


def _is_bytes(given: Any) -> bool:
    return isinstance(given, list) and all(is_integer(one) and 0 <= one <= 255 for one in given)


def _is_base64(given: Any, size: int | None) -> bool:
    decoded = from_base64(given) if isinstance(given, str) else None
    return decoded is not None and size in (None, len(decoded))


def _unless(sound: bool, wanted: str) -> str | None:
    return None if sound else wanted
