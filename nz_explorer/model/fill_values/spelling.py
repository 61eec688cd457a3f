"""How values are spelled in JSON."""

from __future__ import annotations

import base64
import binascii
import re
import struct
import sys
from typing import Any

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.model.fill_values.fill_value import (
    MISSING,
    Dialect,
    FillProblem,
    ProblemKind,
    Safety,
)
from nz_explorer.text.phrases import plural

NAMES: dict[str, float] = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
NEARLY_NAMES: dict[str, str] = {
    "nan": "NaN",
    "+nan": "NaN",
    "-nan": "NaN",
    "inf": "Infinity",
    "infinity": "Infinity",
    "+inf": "Infinity",
    "+infinity": "Infinity",
    "-inf": "-Infinity",
    "-infinity": "-Infinity",
}
HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\s*")
_LONGEST_NUMBER = 400


class Refused(Exception):  # a way out of the decoder, not an error of the program
    """Carries the problem that makes a value unusable."""

    def __init__(
        self, kind: ProblemKind, why: str, suggestion: Any = MISSING, safety: Safety = "suggest"
    ) -> None:
        super().__init__(why)
        self.problem = FillProblem(kind, why, suggestion, safety)


def value_text(value: Any) -> str:  # one return per family of types
    """Return a scalar of an array as people write it.

    Parameters
    ----------
    value
        A numpy scalar, str or bytes.

    Returns
    -------
    str
        Such as ``-9999.0``, ``NaN``, ``"text"``, ``true``; bytes that are no text as ``0xffee00``.
    """
    if isinstance(value, str):
        return json_text(str(value))
    if isinstance(value, bytes):
        return _bytes_text(bytes(value))
    if isinstance(value, bool | np.bool_):
        return json_text(bool(value))
    if isinstance(value, np.complexfloating):
        sign = "-" if np.signbit(value.imag) and not np.isnan(value.imag) else "+"
        return f"{value_text(value.real)}{sign}{value_text(abs(value.imag))}j"
    if isinstance(value, np.floating):
        # str() of numpy gives the shortest digits that make this very float32
        return json_text(float(value)) if not np.isfinite(value) else str(value)
    if isinstance(value, np.void) and value.dtype.names is None:
        return f"0x{value.tobytes().hex()}"
    if isinstance(value, np.void) and any(
        field[0].kind in "MS" for field in (value.dtype.fields or {}).values()
    ):
        # numpy has no text for a date without a unit, and Python's for bytes
        return f"({', '.join(value_text(value[name]) for name in value.dtype.names or ())})"
    without_unit = isinstance(value, np.datetime64) and np.datetime_data(value)[0] == "generic"
    if without_unit and not np.isnat(value):  # nor for this
        return str(int.from_bytes(value.tobytes(), sys.byteorder, signed=True))
    return str(value)


_MOST_BYTES = 16
"""Bytes of a value that are spelled out in hexadecimal."""


def _bytes_text(value: bytes) -> str:
    """Return bytes as text where they are readable, without what fills them up to their length; else in hexadecimal."""
    text = value.rstrip(b"\0").decode("latin-1")
    if (text or not value) and text.isascii() and text.isprintable():
        return json_text(text)
    if len(value) > _MOST_BYTES and not text:
        return f"{len(value)} bytes 00"
    more = f"… ({len(value)} bytes)" if len(value) > _MOST_BYTES else ""
    return f"0x{value[:_MOST_BYTES].hex()}{more}"


def dialect_of(value: Any) -> Dialect:
    """Return in which way a value is spelled, of the ways that need no data type."""
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) else "literal"


def a_kind(value: Any) -> str:
    """Return what kind of JSON value something is, with its article."""
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list | tuple) else "an object"


def as_type(number: float, dtype: np.dtype[Any]) -> Any:
    """Return a number as a data type has it, without a word where it has none.

    Parameters
    ----------
    number : float
        The number.
    dtype : numpy.dtype
        The data type.
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(number, np.float64).astype(dtype.newbyteorder("="))[()]


def json_float(number: float) -> Any:
    """Return the JSON spelling of a float: JSON itself has no NaN and no infinity."""
    if isinstance(number, int) or np.isfinite(number):
        return number
    return json_text(number)


def from_hex(text: str, dtype: np.dtype[Any]) -> Any:
    """Return the float whose bits a text spells.

    Parameters
    ----------
    text : str
        Such as ``0x7fc00000``.
    dtype : numpy.dtype
        The data type.

    Raises
    ------
    Refused
        If there are too many digits, or too few.
    """
    digits = 2 * dtype.itemsize
    if not text.startswith("0x"):
        raise Refused("type", f"{json_text(text)} does not begin with 0x in lower case")
    if len(text) - 2 != digits:
        raise Refused(
            "type",
            f"{json_text(text)} has {plural(len(text) - 2, 'hex digit')} after 0x; {dtype.name} needs {digits}",
        )
    bits = np.frombuffer(bytes.fromhex(text[2:]), dtype.newbyteorder(">"))
    return bits.astype(dtype.newbyteorder("="))[0]


def from_base64(text: str) -> bytes | None:
    """Decode base64 in its one canonical spelling."""
    try:
        decoded = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    return decoded if base64.b64encode(decoded).decode() == text else None


def from_base64_float(text: str) -> float | None:
    """Return the float64 that xarray wrote as base64; None where it is none."""
    decoded = from_base64(text) if len(text) == 12 else None
    if decoded is None or len(decoded) != 8:
        return None
    number: float = struct.unpack("<d", decoded)[0]
    return number


def byte_list(value: list[Any] | tuple[Any, ...], shown: str) -> bytes:
    """Return a list of integers as bytes.

    Parameters
    ----------
    value : list or tuple
        The integers.
    shown : str
        The list as it is shown in messages.

    Raises
    ------
    Refused
        If one of them is no byte.
    """
    if all(
        isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 256 for item in value
    ):
        return bytes(value)
    raise Refused("type", f"{shown} is not a list of bytes (0 to 255)")


def number_of(text: str) -> float | int | None:
    """Return the number that a text spells, an integer where it can be."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return number if np.isfinite(number) else None
