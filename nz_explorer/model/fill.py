"""What a ``_FillValue`` attribute and a storage ``fill_value`` mean, and what they match.

NZ-1.0 says that the type of ``_FillValue`` is the array's ``data_type`` but not how JSON spells
it. The decoder takes the spellings that Zarr v3 defines for ``fill_value``, which are the only
ones specified, and xarray's base64 as a dialect, and says what is wrong with everything else
(rule catalogue 0.6b).
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, Literal

import numpy as np

from nz_explorer.model.data_type import DataType, parse_v2
from nz_explorer.model.json_text import json_text

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
Dialect = Literal["literal", "name", "hex", "base64", "pair", "bool", "string"]
ProblemKind = Literal["type", "range", "list", "dialect", "rounding", "spelling"]
Safety = Literal["safe", "unsafe", "suggest"]


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for "no suggestion", since None is a JSON value."""

_NAMES: dict[str, float] = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_NEARLY_NAMES: dict[str, str] = {
    "nan": "NaN",
    "inf": "Infinity",
    "infinity": "Infinity",
    "+inf": "Infinity",
    "+infinity": "Infinity",
    "-inf": "-Infinity",
    "-infinity": "-Infinity",
}
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\s*")
_LONGEST_NUMBER = 400
_NAT = -(2**63)


@dataclass(frozen=True, slots=True)
class FillProblem:
    """Something wrong, or worth a note, about a fill value.

    Parameters
    ----------
    kind
        ``type`` (not a value of the data type), ``range`` (can never match), ``list`` (not a
        scalar), ``dialect`` (xarray's base64), ``rounding`` (matched after rounding), ``spelling``
        (understood, yet better written otherwise).
    why
        A sentence for people.
    suggestion
        The JSON value to write instead; `MISSING` where there is none.
    safety
        Of the suggestion.
    """

    kind: ProblemKind
    why: str
    suggestion: Any = MISSING
    safety: Safety = "suggest"


@dataclass(frozen=True, slots=True, eq=False)
class FillValue:
    """A decoded fill value.

    Parameters
    ----------
    value
        A numpy scalar of the array's type; str for strings; bytes for byte strings; None where
        the value cannot be used.
    dialect
        How it was spelled.
    problems
        What is wrong with it.
    given
        The JSON value.
    text
        The decoded value in a few words.
    """

    value: Any
    dialect: Dialect
    problems: tuple[FillProblem, ...]
    given: Any
    text: str

    @property
    def usable(self) -> bool:
        """Whether there is a value to mask by."""
        return self.value is not None


def decode_fill(value: Any, data_type: DataType) -> FillValue:
    """Decode the attribute ``_FillValue`` of an array.

    Parameters
    ----------
    value
        Any JSON value, also a float made of a bare ``NaN`` token.
    data_type
        The data type of the array.

    Returns
    -------
    FillValue
        Not usable, with a problem that says why, where it is no value of the type. Not usable and
        without problems where the data type itself is unknown. Never raises.

    Notes
    -----
    Source: NZ-1.0, ``_FillValue``; rule catalogue 0.6b.
    """
    return _finish(value, data_type, _Decoder(data_type, storage=0).decode(value))


def decode_storage_fill(value: Any, data_type: DataType, zarr_format: int) -> FillValue:
    """Decode ``fill_value``, the value of chunks that were never written.

    Parameters
    ----------
    value
        The JSON value of the member.
    data_type
        The data type of the array.
    zarr_format
        2 or 3; the versions spell bytes, records and "undefined" differently.

    Returns
    -------
    FillValue
        Not usable and without problems for the ``null`` of v2, which leaves the value undefined.
        Never raises.

    Notes
    -----
    Source: Zarr v3.1 core, Fill value list; Zarr v2, Fill value encoding.
    """
    if value is None and zarr_format == 2:
        return FillValue(None, "literal", (), None, "undefined")
    return _finish(value, data_type, _Decoder(data_type, storage=zarr_format).decode(value))


def matches(  # one return per family of types
    values: np.ndarray[Any, Any], fill: FillValue
) -> BoolArray:
    """Tell which values are equal to a fill value, as NZ means it.

    Parameters
    ----------
    values
        Values of any shape, of the data type that `fill` was decoded for.
    fill
        The fill value; one that is not usable matches nothing.

    Returns
    -------
    ndarray of bool
        Of the shape of `values`. NaN matches every NaN, whatever its bits; NaT every NaT; of a
        complex number each part by itself.

    Notes
    -----
    Source: NZ-1.0, ``_FillValue`` ("values equal to it are missing").
    """
    values = np.asarray(values)
    wanted = fill.value
    if wanted is None or not values.size:
        return np.zeros(values.shape, dtype=np.bool_)
    if isinstance(wanted, str | bytes):
        return _matches_text(values, wanted)
    if isinstance(wanted, np.void):
        return _matches_void(values, wanted)
    if values.dtype.kind not in "biufcmM":
        return np.zeros(values.shape, np.bool_)
    if values.dtype.kind in "mM" or wanted.dtype.kind in "mM":
        if values.dtype.kind != wanted.dtype.kind:
            return np.zeros(values.shape, np.bool_)
        return np.asarray(np.isnat(values) if np.isnat(wanted) else values == wanted)
    if wanted.dtype.kind == "c" and (np.isnan(wanted.real) or np.isnan(wanted.imag)):
        parts = ((values.real, wanted.real), (values.imag, wanted.imag))
        both: BoolArray = np.logical_and(*(_matches_part(*part) for part in parts))
        return both
    return _matches_part(values, wanted)


def _matches_part(values: np.ndarray[Any, Any], wanted: Any) -> BoolArray:
    return np.asarray(np.isnan(values) if wanted != wanted else values == wanted)  # noqa: PLR0124


def _matches_text(values: np.ndarray[Any, Any], wanted: str | bytes) -> BoolArray:
    kind = values.dtype.kind
    if kind == "O":
        return np.fromiter((item == wanted for item in values.flat), np.bool_, values.size).reshape(
            values.shape
        )
    if isinstance(wanted, str) and kind in "UT":
        # numpy drops trailing NULs of fixed-length strings when it hands them out
        return np.asarray(values == (wanted.rstrip("\0") if kind == "U" else wanted))
    if isinstance(wanted, bytes) and kind == "S":
        return np.asarray(values == wanted.rstrip(b"\0"))
    return np.zeros(values.shape, np.bool_)


def _matches_void(values: np.ndarray[Any, Any], wanted: np.void) -> BoolArray:
    size = values.dtype.itemsize
    if values.dtype.kind != "V" or size != wanted.dtype.itemsize or not size:
        return np.zeros(values.shape, np.bool_)
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8).reshape(-1, size)
    bits = np.frombuffer(wanted.tobytes(), np.uint8)
    return np.asarray((raw == bits).all(axis=1).reshape(values.shape))


# --- decoding --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Decoded:
    value: Any
    dialect: Dialect
    problems: tuple[FillProblem, ...] = ()


class _Refused(Exception):  # a way out of the decoder, not an error of the program
    """Carries the problem that makes a value unusable."""

    def __init__(
        self, kind: ProblemKind, why: str, suggestion: Any = MISSING, safety: Safety = "suggest"
    ) -> None:
        super().__init__(why)
        self.problem = FillProblem(kind, why, suggestion, safety)


class _Decoder:
    """Decodes values of one data type; ``storage`` is 0 for ``_FillValue``, else the format."""

    def __init__(self, data_type: DataType, *, storage: int) -> None:
        self.type = data_type
        # decode() refuses the types that numpy lacks
        self.dtype = np.dtype("V") if data_type.numpy is None else data_type.numpy
        self.storage = storage

    def decode(self, value: Any) -> _Decoded:
        """Return the decoded value, or none and the problem."""
        kinds: dict[str, Callable[[Any], _Decoded]] = {
            "bool": self._bool,
            "int": self._integer,
            "uint": self._integer,
            "float": self._float,
            "complex": self._complex,
            "string": self._string,
            "bytes": self._bytes,
            "raw": self._raw,
            "datetime": self._time,
            "timedelta": self._time,
            "struct": self._struct,
        }
        decoder = kinds.get(self.type.kind)
        if decoder is None or self.type.numpy is None:
            return _Decoded(None, _dialect_of(value))
        try:
            self._check_scalar(value)
            return decoder(value)
        except _Refused as refused:
            return _Decoded(None, _dialect_of(value), (refused.problem,))

    def _check_scalar(self, value: Any) -> None:
        """Refuse what is no scalar, unless the type spells its scalars with lists."""
        shown = json_text(value)
        if value is None:
            raise _Refused("list", f"null is not a {self.type.name} value")
        if isinstance(value, dict) and self.type.kind != "struct":
            raise _Refused("list", f"{shown} is an object, not a {self.type.name} value")
        if not isinstance(value, list | tuple):
            return
        if self.type.kind in ("bytes", "raw") and not any(isinstance(x, str) for x in value):
            return  # a list of bytes
        if self.type.kind == "complex" and len(value) == 2:
            return
        if len(value) != 1:
            expected = "a pair of numbers" if self.type.kind == "complex" else "one value"
            raise _Refused("list", f"{shown} is a list of {len(value)}; {expected} is wanted")
        suggestion, safety = self._unwrapped(value[0])
        raise _Refused("list", f"{shown} is a list; the value itself is wanted", suggestion, safety)

    def _unwrapped(self, item: Any) -> tuple[Any, Safety]:
        if isinstance(item, list | tuple | dict) or item is None:
            return MISSING, "suggest"
        inner = self.decode(item)
        if inner.value is not None:
            better = [p.suggestion for p in inner.problems if p.kind == "spelling"]
            return (better or [item])[0], "safe"
        problem = inner.problems[0]
        return problem.suggestion, "unsafe" if problem.safety == "safe" else problem.safety

    def _scalar(self, value: Any) -> Any:
        dtype = self.dtype
        return np.asarray(value, dtype=dtype.newbyteorder("="))[()]

    # - bool

    def _bool(self, value: Any) -> _Decoded:
        if isinstance(value, bool):
            return _Decoded(np.bool_(value), "bool")
        shown = json_text(value)
        if isinstance(value, int | float) and value in (0, 1):
            raise _Refused("type", f"{shown} is a number, not a bool", bool(value))
        words = {"true": True, "false": False, "0": False, "1": True}
        if isinstance(value, str) and value.strip().lower() in words:
            meant = words[value.strip().lower()]
            raise _Refused("type", f"{shown} is a string, not a bool", meant, "unsafe")
        raise _Refused("type", f"{shown} is {_a_kind(value)}, not a bool")

    # - integers

    def _integer(self, value: Any) -> _Decoded:
        shown = json_text(value)
        if isinstance(value, bool):
            raise _Refused("type", f"{shown} is a bool, not an integer")
        if isinstance(value, int):
            return _Decoded(self._in_range(value, shown), "literal")
        if isinstance(value, float):
            if not np.isfinite(value):
                raise _Refused("type", f"{shown} is not an integer and {self.type.name} has none")
            if not value.is_integer():
                raise _Refused("type", f"{shown} is not an integer and can never match")
            number = self._in_range(int(value), shown)
            why = f"{shown} is written as a float; {int(value)} is the {self.type.name} value"
            return _Decoded(number, "literal", (FillProblem("spelling", why, int(value), "safe"),))
        if isinstance(value, str):
            raise self._integer_text(value, shown)
        raise _Refused("type", f"{shown} is {_a_kind(value)}, not an integer")

    def _integer_text(self, text: str, shown: str) -> _Refused:
        if text in _NAMES or text.lower() in _NEARLY_NAMES:
            return _Refused(
                "type", f"{shown} is not an integer and {self.type.name} has no such value"
            )
        number = _number(text)
        origin = "a string"
        if number is None and _from_base64_float(text) is not None:
            number, origin = _from_base64_float(text), "xarray's base64 of a float"
        if number is None or not np.isfinite(number) or number != int(number):
            return _Refused("type", f"{shown} is {origin}, not an integer")
        low, high = self._limits()
        suggestion: Any = int(number) if low <= number <= high else MISSING
        return _Refused("type", f"{shown} is {origin}, not an integer", suggestion, "unsafe")

    def _limits(self) -> tuple[int, int]:
        limits = np.iinfo(self.dtype)
        return int(limits.min), int(limits.max)

    def _in_range(self, number: int, shown: str) -> Any:
        low, high = self._limits()
        if low <= number <= high:
            return self._scalar(number)
        # -1 written for an unsigned byte, and 255 for a signed one: the bits are meant
        count = high - low + 1
        twin = range(count) if low < 0 else range(-count // 2, 0)
        suggestion: Any = (number - low) % count + low if number in twin else MISSING
        why = f"{shown} is outside {self.type.name} [{low}, {high}] and can never match"
        raise _Refused("range", why, suggestion)

    # - floats

    def _float(self, value: Any) -> _Decoded:
        return self._floating(value, self.dtype)

    def _floating(self, value: Any, dtype: np.dtype[Any]) -> _Decoded:
        """Decode a float, or a part of a complex number, of a type."""
        shown = json_text(value)
        if isinstance(value, bool):
            raise _Refused("type", f"{shown} is a bool, not a number")
        if isinstance(value, int | float):
            number, notes = self._rounded(value, dtype, shown)
            return _Decoded(number, "literal", notes)
        if not isinstance(value, str):
            raise _Refused("type", f"{shown} is {_a_kind(value)}, not a number")
        if value in _NAMES:
            return _Decoded(_cast(_NAMES[value], dtype), "name")
        if _HEX.fullmatch(value):
            return _Decoded(_from_hex(value, dtype), "hex")
        decoded = None if self.storage else _from_base64_float(value)
        if decoded is not None:
            number, notes = self._rounded(decoded, dtype, f"{shown}, which is {decoded!r},")
            literal = _json_float(decoded)
            why = (
                f"{shown} is xarray's base64 of {json_text(literal)}; "
                f"readers other than xarray expect the {self.type.name} value itself"
            )
            return _Decoded(
                number, "base64", (FillProblem("dialect", why, literal, "unsafe"), *notes)
            )
        raise self._no_float(value, shown)

    def _no_float(self, text: str, shown: str) -> _Refused:
        meant = _NEARLY_NAMES.get(text.strip().lower())
        if meant is None and text.strip() in _NAMES:
            meant = text.strip()
        if meant is not None:
            return _Refused("type", f'{shown} is not the spelling of "{meant}"', meant, "safe")
        number = _number(text)
        if number is None:
            return _Refused("type", f"{shown} is a string, not a number")
        return _Refused("type", f"{shown} is a string, not a number", number, "unsafe")

    def _rounded(
        self, number: float, dtype: np.dtype[Any], shown: str
    ) -> tuple[Any, tuple[FillProblem, ...]]:
        """Round to nearest even, first to float64 as every JSON reader does."""
        try:
            wide = float(number)
        except OverflowError:
            wide = float("inf") if number > 0 else float("-inf")
        cast = _cast(wide, dtype)
        if np.isinf(cast) and abs(number) != np.inf:
            limit = str(np.finfo(dtype).max)
            why = f"{shown} is beyond the largest {dtype.name}, {limit}, and can never match"
            raise _Refused("range", why)
        exact = float(cast)  # numpy would round `number` before it compares
        if np.isnan(cast) or exact == number:
            return cast, ()
        why = f"{shown} is not a {dtype.name} value; it is matched after rounding to {exact!r}"
        return cast, (FillProblem("rounding", why, exact, "safe"),)

    # - complex

    def _complex(self, value: Any) -> _Decoded:
        part = np.dtype(f"f{self.dtype.itemsize // 2}")
        shown = json_text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            real, notes = self._rounded(value, part, shown)
            why = f"{shown} is a real number; {self.type.name} is written [real, imaginary]"
            spelling = FillProblem("spelling", why, [_json_float(value), 0.0], "safe")
            pairs = (replace(note, suggestion=[note.suggestion, 0.0]) for note in notes)
            return _Decoded(self._scalar(complex(real, 0)), "literal", (spelling, *pairs))
        if not isinstance(value, list | tuple):
            pair: Any = MISSING
            if isinstance(value, str) and value in _NAMES:
                pair = [value, 0.0]
            raise _Refused(
                "type", f"{shown} is {_a_kind(value)}, not a pair [real, imaginary]", pair
            )
        parts = [self._part(item, part, shown) for item in value]
        # complex(nan, 1) + numpy arithmetic would spread the NaN: set the parts
        scalar = np.empty((), self.dtype.newbyteorder("="))
        scalar.real, scalar.imag = parts[0].value, parts[1].value
        told = [[p for p in decoded.problems if p.kind != "dialect"] for decoded in parts]
        # What is suggested for a part is a part: the value to write is the pair.
        whole = [
            found[0].suggestion if found and found[0].suggestion is not MISSING else item
            for found, item in zip(told, value, strict=True)
        ]
        problems = tuple(replace(p, suggestion=whole) for found in told for p in found)
        if "base64" not in (parts[0].dialect, parts[1].dialect):
            return _Decoded(scalar[()], "pair", problems)
        literal = [_json_float(float(decoded.value)) for decoded in parts]
        why = (
            f"{shown} is xarray's base64 of {json_text(literal)}; "
            f"readers other than xarray expect the {self.type.name} value itself"
        )
        dialect = FillProblem("dialect", why, literal, "unsafe")
        return _Decoded(scalar[()], "base64", (dialect, *problems))

    def _part(self, item: Any, dtype: np.dtype[Any], shown: str) -> _Decoded:
        try:
            return self._floating(item, dtype)
        except _Refused as refused:
            kind = refused.problem.kind
            raise _Refused(kind, f"in {shown}: {refused.problem.why}") from None

    # - text and bytes

    def _string(self, value: Any) -> _Decoded:
        shown = json_text(value)
        if self.storage and type(value) is int and value == 0:
            return _Decoded("", "literal")  # what zarr-python 2 wrote for variable-length strings
        if not isinstance(value, str):
            raise _Refused("type", f"{shown} is {_a_kind(value)}, not a string")
        dtype = self.dtype
        if dtype.kind == "U" and len(value.rstrip("\0")) > dtype.itemsize // 4:
            why = f"{shown} is longer than the {dtype.itemsize // 4} characters of the data type"
            raise _Refused("range", f"{why} and can never match")
        return _Decoded(value, "string")

    def _bytes(self, value: Any) -> _Decoded:
        """Decode a byte string: base64, as Zarr and xarray spell it, else the text itself."""
        shown = json_text(value)
        if isinstance(value, list | tuple):
            return _Decoded(_byte_list(value, shown), "literal")
        if self.storage and type(value) is int and value == 0:
            return _Decoded(b"", "literal")
        if not isinstance(value, str):
            raise _Refused("type", f"{shown} is {_a_kind(value)}, not a byte string")
        decoded = None if value in _NAMES or _HEX.fullmatch(value) else _from_base64(value)
        if decoded is not None and self._fits(decoded):
            return _Decoded(decoded, "base64")
        # NCZarr writes characters as they are
        literal = value.encode("utf-8", "surrogatepass")
        if self._fits(literal):
            return _Decoded(literal, "string")
        why = f"{shown} is longer than the {self.type.itemsize} bytes of the data type"
        raise _Refused("range", f"{why} and can never match")

    def _fits(self, text: bytes) -> bool:
        return self.type.itemsize is None or len(text.rstrip(b"\0")) <= self.type.itemsize

    def _raw(self, value: Any) -> _Decoded:
        shown = json_text(value)
        decoded: bytes | None
        if isinstance(value, list | tuple):
            decoded, dialect = _byte_list(value, shown), "literal"
        elif isinstance(value, str):
            decoded, dialect = _from_base64(value), "base64"
        else:
            raise _Refused("type", f"{shown} is {_a_kind(value)}, not a list of bytes")
        size = self.type.itemsize or 0
        if decoded is None or len(decoded) != size:
            raise _Refused("type", f"{shown} is not the {size} bytes of a {self.type.name} value")
        return _Decoded(np.frombuffer(decoded, f"V{size}")[0] if size else None, dialect)  # type: ignore[arg-type]

    # - times and records

    def _time(self, value: Any) -> _Decoded:
        shown = json_text(value)
        dtype = self.dtype
        dtype = dtype.newbyteorder("=")
        if value == "NaT":
            return _Decoded(np.asarray(_NAT, "i8").view(dtype)[()], "name")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _Refused("type", f'{shown} is {_a_kind(value)}, not an integer or "NaT"')
        if isinstance(value, float) and (not np.isfinite(value) or not value.is_integer()):
            raise _Refused("type", f'{shown} is not an integer or "NaT"', "NaT")
        if not _NAT <= value < -_NAT:
            raise _Refused("range", f"{shown} is outside int64 and can never match")
        return _Decoded(np.asarray(int(value), "i8").view(dtype)[()], "literal")

    def _struct(self, value: Any) -> _Decoded:
        shown = json_text(value)
        dtype = self.dtype
        if isinstance(value, str):
            decoded = _from_base64(value)
            if decoded is not None and len(decoded) == dtype.itemsize:
                return _Decoded(np.frombuffer(decoded, dtype)[0], "base64")
        if self.storage == 2 and type(value) is int and value == 0:
            return _Decoded(np.zeros((), dtype)[()], "literal")
        if isinstance(value, dict) and set(value) == set(dtype.names or ()):
            return _Decoded(self._record(value, dtype), "literal")
        raise _Refused("type", f"{shown} is not a {self.type.name} value")

    def _record(self, value: dict[str, Any], dtype: np.dtype[Any]) -> Any:
        record = np.zeros((), dtype)
        for name in dtype.names or ():
            inner = parse_v2(dtype[name].str)
            decoded = _Decoder(inner, storage=3).decode(value[name])
            if decoded.value is None:
                raise _Refused("type", f"field {name}: {json_text(value[name])} is no {inner.name}")
            record[name] = decoded.value
        return record[()]


def _finish(given: Any, data_type: DataType, decoded: _Decoded) -> FillValue:
    if decoded.value is None:
        text = f"{json_text(given)} ({'not usable' if decoded.problems else 'not decoded'})"
    else:
        text = value_text(decoded.value)
        if decoded.dialect in ("hex", "base64") and data_type.kind in ("float", "complex"):
            text = f"{text} ({'xarray base64' if decoded.dialect == 'base64' else given})"
    return FillValue(decoded.value, decoded.dialect, decoded.problems, given, text)


def value_text(value: Any) -> str:  # one return per family of types
    """Return a scalar of an array as people write it.

    Parameters
    ----------
    value
        A numpy scalar, str or bytes.

    Returns
    -------
    str
        Such as ``-9999.0``, ``NaN``, ``"text"``, ``true``.
    """
    if isinstance(value, str):
        return json_text(str(value))
    if isinstance(value, bytes):
        return repr(bytes(value))
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
    return str(value)


def _dialect_of(value: Any) -> Dialect:
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) else "literal"


def _a_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list | tuple) else "an object"


def _cast(number: float, dtype: np.dtype[Any]) -> Any:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(number, np.float64).astype(dtype.newbyteorder("="))[()]


def _json_float(number: float) -> Any:
    """Return the JSON spelling of a float: JSON itself has no NaN and no infinity."""
    if isinstance(number, int) or np.isfinite(number):
        return number
    return json_text(number)


def _from_hex(text: str, dtype: np.dtype[Any]) -> Any:
    digits = 2 * dtype.itemsize
    if not text.startswith("0x") or len(text) - 2 != digits:
        raise _Refused(
            "type",
            f"{json_text(text)} has {len(text) - 2} hex digits after 0x; {dtype.name} needs {digits}",
        )
    bits = np.frombuffer(bytes.fromhex(text[2:]), dtype.newbyteorder(">"))
    return bits.astype(dtype.newbyteorder("="))[0]


def _from_base64(text: str) -> bytes | None:
    """Decode base64 in its one canonical spelling."""
    try:
        decoded = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    return decoded if base64.b64encode(decoded).decode() == text else None


def _from_base64_float(text: str) -> float | None:
    decoded = _from_base64(text) if len(text) == 12 else None
    if decoded is None or len(decoded) != 8:
        return None
    number: float = struct.unpack("<d", decoded)[0]
    return number


def _byte_list(value: list[Any] | tuple[Any, ...], shown: str) -> bytes:
    if all(
        isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 256 for item in value
    ):
        return bytes(value)
    raise _Refused("type", f"{shown} is not a list of bytes (0 to 255)")


def _number(text: str) -> float | int | None:
    """Return the number that a text spells, an integer where it can be."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return number if np.isfinite(number) else None
