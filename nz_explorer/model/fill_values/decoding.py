"""Decoding of fill values by data type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.model.data_type import DataType, parse_v2
from nz_explorer.model.fill_values.fill_value import (
    MISSING,
    Dialect,
    FillProblem,
    FillValue,
    Safety,
)
from nz_explorer.model.fill_values.spelling import (
    HEX,
    NAMES,
    NEARLY_NAMES,
    Refused,
    a_kind,
    as_type,
    byte_list,
    dialect_of,
    from_base64,
    from_base64_float,
    from_hex,
    json_float,
    number_of,
    value_text,
)
from nz_explorer.text.phrases import article, plural

_NAT = -(2**63)


def decode_fill(value: Any, data_type: DataType, beyond: str | None = None) -> FillValue:
    """Decode the attribute ``_FillValue`` of an array.

    Parameters
    ----------
    value
        Any JSON value, also a float made of a bare ``NaN`` token.
    data_type
        The data type of the array.
    beyond
        How a number is spelled that was decoded as infinity because it is beyond every float64, such as
        ``1e400``; None where infinity itself is meant.

    Returns
    -------
    FillValue
        Not usable, with a problem that says why, where it is no value of the type. Not usable and
        without problems where the data type itself is unknown. Never raises.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute.
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    return _finish(value, data_type, _Decoder(data_type, storage=0, beyond=beyond).decode(value))


def decode_storage_fill(
    value: Any, data_type: DataType, zarr_format: int, beyond: str | None = None
) -> FillValue:
    """Decode ``fill_value``, the value of chunks that were never written.

    Parameters
    ----------
    value
        The JSON value of the member.
    data_type
        The data type of the array.
    zarr_format
        2 or 3; the versions spell bytes, records and "undefined" differently.
    beyond
        As for `decode_fill`.

    Returns
    -------
    FillValue
        Not usable and without problems for the ``null`` of v2, which leaves the value undefined.
        Never raises.

    Notes
    -----
    Source: Zarr v3.1 core, Fill value list; Zarr v2, Fill value encoding.
    See https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html,
    https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html.
    """
    if value is None and zarr_format == 2:
        return FillValue(None, "literal", (), None, "undefined")
    decoder = _Decoder(data_type, storage=zarr_format, beyond=beyond)
    return _finish(value, data_type, decoder.decode(value))


@dataclass(frozen=True, slots=True)
class _Decoded:
    value: Any
    dialect: Dialect
    problems: tuple[FillProblem, ...] = ()


class _Decoder:
    """Decodes values of one data type; ``storage`` is 0 for ``_FillValue``, else the format."""

    def __init__(self, data_type: DataType, *, storage: int, beyond: str | None = None) -> None:
        self.type = data_type
        self.beyond = beyond
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
            return _Decoded(None, dialect_of(value))
        try:
            self._check_scalar(value)
            return decoder(value)
        except Refused as refused:
            return _Decoded(None, dialect_of(value), (refused.problem,))

    def _check_scalar(self, value: Any) -> None:
        """Refuse what is no scalar, unless the type spells its scalars with lists."""
        shown = json_text(value)
        if value is None:
            raise Refused("list", f"null is not {article(self.type.name)} value")
        if isinstance(value, dict) and self.type.kind != "struct":
            raise Refused("list", f"{shown} is an object, not {article(self.type.name)} value")
        if not isinstance(value, list | tuple):
            return
        if self.type.kind in ("bytes", "raw") and not any(isinstance(x, str) for x in value):
            return  # a list of bytes
        if self.type.kind == "complex" and len(value) == 2:
            return
        if len(value) != 1:
            expected = "a pair of numbers" if self.type.kind == "complex" else "one value"
            raise Refused("list", f"{shown} is a list of {len(value)}; {expected} is wanted")
        suggestion, safety = self._unwrapped(value[0])
        part = self.type.kind == "complex" and not isinstance(value[0], list | tuple)
        wanted = "a pair of numbers" if part else "the value itself"
        raise Refused("list", f"{shown} is a list; {wanted} is wanted", suggestion, safety)

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
            raise Refused("type", f"{shown} is a number, not a bool", bool(value))
        words = {"true": True, "false": False, "0": False, "1": True}
        if isinstance(value, str) and value.strip().lower() in words:
            meant = words[value.strip().lower()]
            raise Refused("type", f"{shown} is a string, not a bool", meant, "unsafe")
        raise Refused("type", f"{shown} is {a_kind(value)}, not a bool")

    # - integers

    def _integer(self, value: Any) -> _Decoded:
        shown = json_text(value)
        if isinstance(value, bool):
            raise Refused("type", f"{shown} is a bool, not an integer")
        if isinstance(value, int):
            return _Decoded(self._in_range(value, shown), "literal")
        if isinstance(value, float):
            if not np.isfinite(value):
                raise Refused("type", f"{shown} is not an integer and {self.type.name} has none")
            if not value.is_integer():
                raise Refused("type", f"{shown} is not an integer and can never match")
            number = self._in_range(int(value), shown)
            return _Decoded(number, "literal", self._as_float(value, shown))
        if isinstance(value, str):
            raise self._integer_text(value, shown)
        raise Refused("type", f"{shown} is {a_kind(value)}, not an integer")

    def _as_float(self, value: float, shown: str) -> tuple[FillProblem, ...]:
        """Return what is wrong with a whole number, which may be written as a float."""
        if isinstance(value, int):
            return ()
        why = f"{shown} is written as a float; {int(value)} is the {self.type.text} value"
        return (FillProblem("spelling", why, int(value), "safe"),)

    def _integer_text(self, text: str, shown: str) -> Refused:
        if text in NAMES or text.lower() in NEARLY_NAMES:
            return Refused(
                "type", f"{shown} is not an integer and {self.type.name} has no such value"
            )
        number = number_of(text)
        origin = "a string"
        if number is None and from_base64_float(text) is not None:
            number, origin = from_base64_float(text), "xarray's base64 of a float"
        low, high = self._limits()
        if number is None or not (isinstance(number, int) or float(number).is_integer()):
            decoded = from_base64(text) if len(text) == 12 else None
            meant = None if decoded is None else int.from_bytes(decoded, "little", signed=low < 0)
            if meant is None or not low <= meant <= high:
                return Refused("type", f"{shown} is {origin}, not an integer")
            why = f"{shown} is base64 of the integer {meant}, not the integer itself"
            return Refused("type", why, meant, "unsafe")
        suggestion: Any = int(number) if low <= number <= high else MISSING
        return Refused("type", f"{shown} is {origin}, not an integer", suggestion, "unsafe")

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
        raise Refused("range", why, suggestion)

    # - floats

    def _float(self, value: Any) -> _Decoded:
        return self._floating(value, self.dtype)

    def _floating(self, value: Any, dtype: np.dtype[Any]) -> _Decoded:
        """Decode a float, or a part of a complex number, of a type."""
        shown = json_text(value)
        if isinstance(value, bool):
            raise Refused("type", f"{shown} is a bool, not a number")
        if isinstance(value, int | float):
            number, notes = self._rounded(value, dtype, shown)
            return _Decoded(number, "literal", notes)
        if not isinstance(value, str):
            raise Refused("type", f"{shown} is {a_kind(value)}, not a number")
        if value in NAMES:
            return _Decoded(as_type(NAMES[value], dtype), "name")
        if HEX.fullmatch(value):
            return _Decoded(from_hex(value, dtype), "hex")
        decoded = None if self.storage else from_base64_float(value)
        if decoded is not None:
            number, notes = self._rounded(decoded, dtype, f"{shown}, which is {decoded!r},")
            literal = json_float(decoded)
            why = (
                f"{shown} is xarray's base64 of {json_text(literal)}; "
                f"readers other than xarray expect the {self.type.name} value itself"
            )
            return _Decoded(
                number, "base64", (FillProblem("dialect", why, literal, "unsafe"), *notes)
            )
        raise self._no_float(value, shown)

    def _no_float(self, text: str, shown: str) -> Refused:
        meant = NEARLY_NAMES.get(text.strip().lower())
        if meant is None and text.strip() in NAMES:
            meant = text.strip()
        if meant is not None:
            return Refused("type", f'{shown} is not the spelling of "{meant}"', meant, "safe")
        number = number_of(text)
        if number is None and (decoded := from_base64_float(text)) is not None:
            meant = json_float(decoded)
            why = f"{shown} is xarray's base64 of {json_text(meant)}, not the number itself"
            return Refused("type", why, meant, "unsafe")
        if number is None:
            return Refused("type", f"{shown} is a string, not a number")
        return Refused("type", f"{shown} is a string, not a number", number, "unsafe")

    def _rounded(
        self, number: float, dtype: np.dtype[Any], shown: str
    ) -> tuple[Any, tuple[FillProblem, ...]]:
        """Round to nearest even, first to float64 as every JSON reader does."""
        try:
            wide = float(number)
        except OverflowError:
            wide = float("inf") if number > 0 else float("-inf")
        cast = as_type(wide, dtype)
        if np.isinf(cast) and (abs(number) != np.inf or self.beyond):
            if abs(number) == np.inf:
                shown = self.beyond or shown
            limit = str(np.finfo(dtype).max)
            why = f"{shown} is beyond the largest {dtype.name} ({limit}) and can never match"
            raise Refused("range", why)
        exact = float(cast)  # numpy would round `number` before it compares
        if np.isnan(cast) or exact == number:
            return cast, ()
        why = (
            f"{shown} is not {article(dtype.name)} value; it is matched after rounding to {exact!r}"
        )
        return cast, (FillProblem("rounding", why, exact, "safe"),)

    # - complex

    def _complex(self, value: Any) -> _Decoded:
        part = np.dtype(f"f{self.dtype.itemsize // 2}")
        shown = json_text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            real, notes = self._rounded(value, part, shown)
            why = f"{shown} is a real number; {self.type.name} is written [real, imaginary]"
            spelling = FillProblem("spelling", why, [json_float(value), 0.0], "safe")
            pairs = (replace(note, suggestion=[note.suggestion, 0.0]) for note in notes)
            return _Decoded(self._scalar(complex(real, 0)), "literal", (spelling, *pairs))
        if not isinstance(value, list | tuple):
            pair: Any = MISSING
            if isinstance(value, str) and value in NAMES:
                pair = [value, 0.0]
            raise Refused("type", f"{shown} is {a_kind(value)}, not a pair [real, imaginary]", pair)
        parts = [self._part(item, part, shown) for item in value]
        # complex(nan, 1) + numpy arithmetic would spread the NaN: set the parts
        scalar = np.empty((), self.dtype.newbyteorder("="))
        scalar.real, scalar.imag = parts[0].value, parts[1].value
        problems_of = [[p for p in decoded.problems if p.kind != "dialect"] for decoded in parts]
        # What is suggested for a part is a part: the value to write is the pair.
        whole = [
            found[0].suggestion if found and found[0].suggestion is not MISSING else item
            for found, item in zip(problems_of, value, strict=True)
        ]
        problems = tuple(replace(p, suggestion=whole) for found in problems_of for p in found)
        if "base64" not in (parts[0].dialect, parts[1].dialect):
            return _Decoded(scalar[()], "pair", problems)
        literal = [json_float(float(decoded.value)) for decoded in parts]
        why = (
            f"{shown} is xarray's base64 of {json_text(literal)}; "
            f"readers other than xarray expect the {self.type.name} value itself"
        )
        dialect = FillProblem("dialect", why, literal, "unsafe")
        return _Decoded(scalar[()], "base64", (dialect, *problems))

    def _part(self, item: Any, dtype: np.dtype[Any], shown: str) -> _Decoded:
        try:
            return self._floating(item, dtype)
        except Refused as refused:
            kind = refused.problem.kind
            raise Refused(kind, f"in {shown}: {refused.problem.why}") from None

    # - text and bytes

    def _string(self, value: Any) -> _Decoded:
        shown = json_text(value)
        dtype = self.dtype
        if self.storage and type(value) is int and value == 0 and dtype.hasobject:
            # what zarr-python 2 wrote for variable-length strings, and what zarr-python 3 makes of it
            return _Decoded("0", "literal")
        if not isinstance(value, str):
            raise Refused("type", f"{shown} is {a_kind(value)}, not a string")
        if dtype.kind == "U" and len(value.rstrip("\0")) > dtype.itemsize // 4:
            why = f"{shown} is longer than the {plural(dtype.itemsize // 4, 'character')} of the data type"
            raise Refused("range", f"{why} and can never match")
        return _Decoded(value, "string")

    def _bytes(self, value: Any) -> _Decoded:
        """Decode a byte string: base64, as Zarr and xarray spell it, else the text itself."""
        shown = json_text(value)
        if isinstance(value, list | tuple):
            return _Decoded(byte_list(value, shown), "literal")
        if self.storage and type(value) is int and value == 0:
            return _Decoded(b"", "literal")
        if not isinstance(value, str):
            raise Refused("type", f"{shown} is {a_kind(value)}, not a byte string")
        decoded = None if value in NAMES or HEX.fullmatch(value) else from_base64(value)
        if decoded is not None and self._fits(decoded):
            return _Decoded(decoded, "base64")
        # NCZarr writes characters as they are
        literal = value.encode("utf-8", "surrogatepass")
        if self._fits(literal):
            return _Decoded(literal, "string")
        why = (
            f"{shown} is longer than the {plural(self.type.itemsize or 0, 'byte')} of the data type"
        )
        raise Refused("range", f"{why} and can never match")

    def _fits(self, text: bytes) -> bool:
        return self.type.itemsize is None or len(text.rstrip(b"\0")) <= self.type.itemsize

    def _raw(self, value: Any) -> _Decoded:
        shown = json_text(value)
        decoded: bytes | None
        if isinstance(value, list | tuple):
            decoded, dialect = byte_list(value, shown), "literal"
        elif isinstance(value, str):
            decoded, dialect = from_base64(value), "base64"
        else:
            raise Refused("type", f"{shown} is {a_kind(value)}, not a list of bytes")
        size = self.type.itemsize or 0
        if decoded is None or len(decoded) != size:
            raise Refused(
                "type",
                f"{shown} is not the {plural(size, 'byte')} of {article(self.type.name)} value",
            )
        return _Decoded(np.frombuffer(decoded, f"V{size}")[0] if size else None, dialect)  # type: ignore[arg-type]

    # - times and records

    def _time(self, value: Any) -> _Decoded:
        shown = json_text(value)
        dtype = self.dtype
        dtype = dtype.newbyteorder("=")
        if value == "NaT":
            return _Decoded(np.asarray(_NAT, "i8").view(dtype)[()], "name")
        if isinstance(value, bool) or not isinstance(value, int | float):
            meant = "NaT" if isinstance(value, str) and value.lower() in ("nat", "nan") else MISSING
            raise Refused("type", f'{shown} is {a_kind(value)}, not an integer or "NaT"', meant)
        if isinstance(value, float) and (not np.isfinite(value) or not value.is_integer()):
            raise Refused("type", f'{shown} is not an integer or "NaT"', "NaT")
        if not _NAT <= value < -_NAT:
            raise Refused("range", f"{shown} is outside int64 and can never match")
        time = np.asarray(int(value), "i8").view(dtype)[()]
        return _Decoded(time, "literal", self._as_float(value, shown))

    def _struct(self, value: Any) -> _Decoded:
        shown = json_text(value)
        dtype = self.dtype
        if isinstance(value, str):
            decoded = from_base64(value)
            if decoded is not None and len(decoded) == dtype.itemsize:
                return _Decoded(np.frombuffer(decoded, dtype)[0], "base64")
        if self.storage == 2 and type(value) is int and value == 0:
            return _Decoded(np.zeros((), dtype)[()], "literal")
        if isinstance(value, dict) and set(value) == set(dtype.names or ()):
            return _Decoded(self._record(value, dtype), "literal")
        raise Refused("type", f"{shown} is not {article(self.type.name)} value")

    def _record(self, value: dict[str, Any], dtype: np.dtype[Any]) -> Any:
        record = np.zeros((), dtype)
        for name in dtype.names or ():
            nested = dtype[name].names
            if nested and isinstance(value[name], dict) and set(value[name]) == set(nested):
                record[name] = self._record(value[name], dtype[name])
                continue
            inner = parse_v2(dtype[name].str)
            decoded = _Decoder(inner, storage=3).decode(value[name])
            if decoded.value is None:
                raise Refused("type", f"field {name}: {json_text(value[name])} is no {inner.name}")
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
