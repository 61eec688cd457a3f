"""Z2: what Zarr v2 asks of fill values."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr2.fill_readers import (
    TEXT_BEYOND,
    TURNED,
    is_beyond,
    is_number_as_text,
    masked_by,
    readers_of,
    readers_of_base64,
)
from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.conventions.zarr3.nodes import CRASHES, TYPE_ERROR, set_to, shown
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model.fill_values import MISSING, FillProblem
from nz_explorer.model.fill_values.spelling import from_base64, json_float
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

NAMES = ("NaN", "Infinity", "-Infinity")
"""The only spellings of numbers that JSON does not have (Zarr v2, Fill value encoding)."""
BASE64 = ("bytes", "raw", "struct")
"""Kinds of types whose fill values are base64."""
FILL = "/.zarray/fill_value"


def _problem(array: Array) -> FillProblem | None:
    """Return what is wrong with a fill value, where something is."""
    fill = array.storage_fill
    if fill is None:
        return None
    return next((problem for problem in fill.problems if problem.kind != "rounding"), None)


def _names_a_float(array: Array) -> bool:
    """Whether a fill value is text that means a number which JSON does not have."""
    problem = _problem(array)
    return (
        array.data_type.kind in ("float", "complex")
        and problem is not None
        and problem.kind in ("type", "spelling")
        and problem.suggestion in NAMES
    )


@rule("Z2-FV-001", on="array", formats=V2, needs=("data type",))
def fill_names(array: Array) -> Iterator[Fail]:
    """Require the standard spelling of NaN and infinities."""
    problem = _problem(array)
    if problem is not None and _names_a_float(array):
        given = array.metadata["fill_value"]
        # which netCDF-C takes for no name of a number
        short = isinstance(given, str) and (given[:1] == "+" or given.lower().lstrip("-") == "inf")
        base64_of_xarray = (
            isinstance(given, str) and from_base64(given) and not is_number_as_text(given, "float")
        )
        readers = (CRASHES if short else {}) | (TYPE_ERROR | CRASHES if base64_of_xarray else {})
        yield Fail(
            FILL,
            f"fill_value {shown(given)} must be spelled {shown(problem.suggestion)}",
            impact="blocks" if readers else None,
            readers=readers or None,
            fix=set_to(FILL, problem.suggestion),
        )


def _lacks_zeros(array: Array, given: str, decoded: bytes) -> bool:
    """Whether it is a byte string without the zeros at its end, and no plain text that happens to be base64."""
    size = array.data_type.itemsize or 0
    meant = decoded.isascii() or len(given) > size
    return array.data_type.kind == "bytes" and len(decoded) < size and meant


def _may_be_plain(array: Array, given: str, decoded: bytes) -> bool:
    """Whether it is most likely plain text that happens to be base64, of bytes that are no text."""
    size = array.data_type.itemsize or 0
    fits = given.isascii() and len(given) <= size
    return array.data_type.kind == "bytes" and fits and not decoded.isascii()


@rule("Z2-FV-002", on="array", formats=V2, needs=("data type",))
def fill_base64(array: Array) -> Iterator[Fail]:
    """Require base64 for bytes and structured values."""
    fill = array.storage_fill
    if fill is None or array.data_type.kind not in BASE64 or array.data_type.numpy is None:
        return
    given, size = array.metadata["fill_value"], array.data_type.itemsize
    any_length = size is None  # then "" is no bytes in base64
    decoded = from_base64(given) if isinstance(given, str) and (given or any_length) else None
    if decoded is not None and (any_length or len(decoded) == size):
        return
    dtype = shown(array.metadata.get("dtype"))
    much = "bytes" if size is None else plural(size, "byte")
    message = f"fill_value for dtype {dtype} must be null or {much} in base64, got {shown(given)}"
    if decoded is not None:
        has = f"{plural(len(decoded), 'byte')}; one element has {size}"
        message = f"fill_value {shown(given)} decodes to {has}"
        if _may_be_plain(array, given, decoded):
            message += "; as plain text it fits"
    if given == "" and array.data_type.kind != "struct":
        # what netCDF-C writes for "nothing but zeros"; every reader copes, but not with structs
        yield Fail(FILL, message, severity="info", readers={}, fix=_as_base64)
    elif decoded is not None and _lacks_zeros(array, given, decoded):
        yield Fail(
            FILL,
            f"{message}: zarr-python 3 leaves out zeros at the end, and adds them when it reads",
            impact="convention",
            readers={"tensorstore": "refuses the array: Expected base64-encoded bytes"},
            fix=_as_base64,
        )
    else:
        fix = _as_base64 if fill.usable or _is_zero(given) else None
        yield Fail(FILL, message, readers=readers_of_base64(array, given), fix=fix)


def _is_zero(given: Any) -> bool:
    """Whether it is 0, which programs write in place of bytes that are all zero."""
    return type(given) in (int, float) and given == 0


def _as_base64(node: Node) -> Draft | None:
    from nz_explorer.model import Array

    fill = node.storage_fill if isinstance(node, Array) else None
    if fill is None or not isinstance(node, Array):
        return None
    if fill.usable:
        raw = fill.value if isinstance(fill.value, bytes) else fill.value.tobytes()
    elif _is_zero(node.metadata["fill_value"]):
        raw = b""
    else:
        return None
    size = len(raw) if node.data_type.itemsize is None else node.data_type.itemsize
    fitting = raw[:size].ljust(size, b"\0")  # as NumPy makes it fit
    given, note = node.metadata["fill_value"], None
    if isinstance(given, str) and _may_be_plain(node, given, raw):
        as_text = base64.b64encode(given.encode("ascii").ljust(size, b"\0")).decode("ascii")
        note = f"this is what readers make of it; if it was meant as plain text, write {as_text}"
    elif node.data_type.name == "null_terminated_bytes":
        note = "netCDF-C up to 4.10 shows it as it stands where chunks are missing; of null it makes empty texts"
    return Draft("unsafe", (replace(FILL, base64.b64encode(fitting).decode("ascii")),), note)


@rule("Z2-FV-003", on="array", formats=V2, needs=("data type",), provides="fill scalar")
def fill_scalar(array: Array) -> Iterator[Fail]:
    """Require one value, not a list of one, nor an object."""
    given = array.metadata.get("fill_value")
    kind = array.data_type.kind
    if not isinstance(given, list | dict) or kind in BASE64:
        return
    if kind == "complex" and isinstance(given, list) and len(given) == 2:
        return
    problem = _problem(array)
    safe = problem is not None and problem.suggestion is not MISSING
    # by zarr-python, as Python takes any list: it is true unless it is empty
    taken = kind == "bool"
    # with a list of another length than 1 it can fill no chunk
    unfilled = taken and isinstance(given, list) and len(given) != 1
    right = "a pair [real, imaginary]" if kind == "complex" else "a single value"
    yield Fail(
        FILL,
        f"fill_value must be {right} or null, got the {'list' if isinstance(given, list) else 'object'} {shown(given)}",
        severity="error",
        impact="blocks" if unfilled else "convention" if taken else None,
        readers=_UNFILLED
        if unfilled
        else {}
        if taken
        else TYPE_ERROR
        if isinstance(given, dict)
        else TYPE_ERROR | CRASHES
        if kind in ("int", "uint", "float")
        and any(isinstance(one, str) and not (kind == "float" and one in NAMES) for one in given)
        else None,
        fix=set_to(FILL, problem.suggestion, problem.safety) if problem and safe else None,
    )


_UNFILLED = dict.fromkeys(
    ("zarr-python", "xarray"), "raises ValueError when it reads a chunk that is not stored"
)


NO_NAN = "no integer is NaN; chunks that were not written then hold nothing in particular"
BEYOND = "no value of the type can be equal to it, so it marks none as missing"
NO_TEXT = "chunks that were not written then hold nothing in particular; by an empty text xarray would mask empty texts"
NOTHING = "the empty text may have been written for no fill value at all, which is null"


def _type_in_words(array: Array) -> str:
    """Return what the type is called: of texts and bytes as the document spells it, which says how long they are."""
    spelled = array.data_type.kind in ("bytes", "raw", "string") and array.data_type.itemsize
    return f"dtype {shown(array.metadata.get('dtype'))}" if spelled else array.data_type.text


@rule("Z2-FV-004", on="array", formats=V2, needs=("data type", "fill scalar"))
def fill_fits(array: Array) -> Iterator[Fail]:
    """Require a value of the array's type."""
    given = array.metadata.get("fill_value")
    kind = array.data_type.kind
    if given is None or kind in BASE64 or _names_a_float(array):
        return
    problem = _problem(array)
    if array.data_type.itemsize is None and kind == "string" and given in (0, False):
        yield Fail(
            FILL,
            f"fill_value {shown(given)} ({json_type(given)}) is no text: zarr-python 2 wrote it so, and zarrs and what is built on it refuse the array",
            severity="info",
            impact="convention",
            readers={},
            fix=set_to(FILL, None, "suggest", NO_TEXT),
        )
    elif (
        isinstance(given, str)
        and kind in ("float", "complex")
        and given not in NAMES
        and not problem
    ):
        why = "the bits of a number in hexadecimal are a spelling of Zarr v3"
        number = array.storage_fill.value if array.storage_fill is not None else None
        yield Fail(
            FILL,
            f"fill_value {shown(given)} does not fit {array.data_type.text}: {why}",
            fix=set_to(FILL, json_float(float(number)), "unsafe")
            if isinstance(number, np.floating)
            else None,
        )
    elif problem is not None:
        beyond = is_beyond(given, array.data_type)
        readers = TEXT_BEYOND if beyond else readers_of(given, array.data_type, problem)
        # Python takes every text that is not empty for true, also "false"
        turned = kind == "bool" and isinstance(given, str) and problem.suggestion is False
        fix = None
        if kind == "float" and not readers and problem.kind == "range":  # which they round to
            fix = set_to(FILL, "Infinity" if given > 0 else "-Infinity")
        elif (
            kind in ("int", "uint", "float")
            and not readers
            and isinstance(given, bool | int | float)
            and given == int(given)
        ):
            fix = set_to(FILL, int(given))
        elif problem.suggestion is not MISSING:
            fix = set_to(FILL, problem.suggestion, problem.safety)
        elif given == "NaN" and kind in ("int", "uint"):
            fix = set_to(FILL, None, "suggest", NO_NAN)
        elif given == "":
            fix = set_to(FILL, None, "suggest", NOTHING)
        elif problem.kind == "range":
            fix = set_to(FILL, None, "suggest", BEYOND)
        masks = {} if beyond else masked_by(given, kind)
        others = readers.keys() - {"netCDF-C"} or impact_of_netcdf(array) is None
        # what was decoded as infinity is spelled otherwise, as the reason says
        infinite = isinstance(given, float) and math.isinf(given) and problem.kind == "range"
        what = "" if infinite else f" {shown(given)} ({json_type(given)})"
        yield Fail(
            FILL,
            f"fill_value{what} does not fit {_type_in_words(array)}: {problem.why.removesuffix(' and can never match')}",
            impact="values"
            if masks or turned
            else "blocks"
            if readers and others
            else "convention",
            readers=TURNED if turned else {**masks, **readers},
            stops=tuple(readers) if masks else (),
            fix=fix,
        )
