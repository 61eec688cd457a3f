"""Z2: stored values that xarray shows as missing, because it takes ``fill_value`` for ``_FillValue``."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, is_candidate, is_container
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.fill_values import same_value
from nz_explorer.text.phrases import every, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.values.contents import Absence, Contents
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

FILL = "/.zarray/fill_value"
MEMBER = "fill_value"
DECODED = frozenset(["_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned"])
"""Attributes by which values are decoded to others, or mark missing ones themselves."""
COUNTED = ("bool", "int", "uint", "string")
"""Kinds of data types in which zero, False or an empty text is as likely as any other value."""


def _hidden_by_xarray(array: Array) -> bool:
    """Whether xarray masks by a fill value that marks nothing; it opens no array without names of dimensions."""
    # that a value of a coordinate is missing has to be said by _FillValue
    hidden, fill = array.xarray_fill, array.nz_fill if is_candidate(array) else array.fill
    return (
        array.zarr_format == 2
        and hidden is not None
        and hidden.usable
        and (fill is None or (fill.usable and not same_value(fill, hidden)))
        and array.dimension_names is not None
        and not is_container(array)
    )


def _may_hide(array: Array) -> bool:
    return (
        _hidden_by_xarray(array)
        and (array.fill is not None or array.data_type.kind in COUNTED)
        and array.shape != ()
        and not is_candidate(array)
    )


def _mark_of_packed(array: Array) -> bool:
    """Whether the fill value may be the mark of packed values: there is no other, and hardly anybody but xarray writes them."""
    return array.fill is None and any(name in array.attributes for name in PACKING)


@rule("Z2-FV-006", on="array", formats=(2,), needs=("data type",), when=_may_hide)
def zero_is_a_value(array: Array) -> Iterator[Fail]:
    """Require no fill value that is taken for missing where it is as good as any value."""
    text = "" if array.storage_fill is None else array.storage_fill.text
    if array.fill is None:
        message = f"there is no _FillValue, and fill_value is {text}"
        mind = f"shows each stored {text} as missing"
        harmless = f"; that is right only where {text} was meant so, as when xarray has written it with _FillValue={text}"
        if _mark_of_packed(array):
            said = f"{message}: xarray {mind}, which is right where {text} marks missing values, as when xarray has written it"
            yield Fail(FILL, said, severity="info", impact="advice", readers={}, fix=fill_fix)
            return
    else:
        harmless = ""
        message = f"_FillValue is {array.fill.text}, and fill_value is {text}"
        mind = f"shows each stored {text} as missing, and each {array.fill.text} as a value"
    yield Fail(FILL, f"{message}: xarray {mind}{harmless}", fix=fill_fix, readers={"xarray": mind})


def _counted(array: Array, _: Any) -> bool:
    return _hidden_by_xarray(array)


@rule("Z2-FV-008", on="values", formats=(2,), when=_counted)
def coordinate_is_whole(array: Array, monotonic: Monotonicity) -> Iterator[Fail]:
    """Require no value of a coordinate that xarray shows as missing."""
    if monotonic.hidden:
        yield _hidden(array, monotonic.hidden, (array.shape or (0,))[0])


@rule(
    "Z2-FV-008",
    on="chunks",
    formats=(2,),
    when=lambda array, _: array.shape == () and _hidden_by_xarray(array),
)
def scalar_is_whole(array: Array, absence: Absence) -> Iterator[Fail]:
    """Require no scalar that xarray shows as missing."""
    if absence.hidden:
        yield _hidden(array, 1, 1)


@rule("Z2-FV-007", on="contents", formats=(2,), when=_counted)
def values_are_whole(array: Array, contents: Contents) -> Iterator[Fail]:
    """Require no stored value that xarray shows as missing."""
    if contents.scan is None or is_candidate(array) or array.shape == ():
        return
    hidden = contents.scan.states.get("storage_fill", 0)
    total = sum(contents.scan.states.values()) - hidden
    if hidden:
        yield _hidden(array, hidden, total, contents.scan.states.get("absent", 0))


def _becomes_other(array: Array, _: Contents) -> bool:
    """Whether xarray makes something else of what has no mark for missing values, such as floats of integers."""
    attributes = array.attributes
    return (
        # of others it is said in place of Z2-FV-006 alone
        (
            array.data_type.kind in ("int", "uint")
            or (array.data_type.kind in COUNTED and _may_hide(array))
        )
        and array.storage_fill is not None
        and array.storage_fill.usable
        and array.dimension_names is not None
        and not is_container(array)
        and attributes.keys().isdisjoint(DECODED)
        and "since" not in str(attributes.get("units"))
    )


@rule("Z2-FV-009", on="contents", formats=(2,), when=_becomes_other)
def values_keep_their_type(array: Array, contents: Contents) -> Iterator[Fail]:
    """Note values of which none is missing, and which xarray decodes as if some were."""
    scan = contents.scan
    if scan is None or scan.faults or set(scan.states) != {"value"}:
        return
    text = "" if array.storage_fill is None else array.storage_fill.text
    shown, name = _shown_as(array), array.data_type.name
    # texts are as good as objects as they are with a length
    later = f"would show each {text} that is written later as missing"
    yield Fail(
        FILL,
        f"fill_value is {text}, which no value equals: xarray takes it for the mark of missing values all the same, and"
        f" {f'shows these {name} values as {shown}' if shown else later}",
        readers={"xarray": f"shows {name} values as {shown}" if shown else later},
        impact="advice",
        fix=fill_fix,
        covers=("Z2-FV-006",),
    )


def _shown_as(array: Array) -> str:
    """Return what xarray makes of values to have a mark for missing ones; empty of texts, to which it does nothing that matters."""
    if array.data_type.kind == "string":
        return ""
    if array.data_type.kind == "bool":
        return "objects"
    return "float32" if (array.data_type.itemsize or 8) <= 2 else "float64"


def _hidden(array: Array, stored: int, total: int, absent: int = 0) -> Fail:
    text = "" if array.storage_fill is None else array.storage_fill.text
    number = stored + absent
    some = (
        f"{number:,} of the {plural(total, 'value')}" if number < total else every(total, "value")
    )
    # Zarr writes no chunk of mere fill values.
    unwritten = f" ({absent:,} of them were not written)" if absent else ""
    packed = _mark_of_packed(array) and not is_candidate(array) and array.shape != ()
    right = f"; that is right where {text} marks missing values, as when xarray has written it"
    return Fail(
        FILL,
        f"xarray shows {some} of {array.path} as missing: "
        f"what equals the fill_value {text}, which no _FillValue marks{unwritten}"
        + (right if packed else ""),
        severity="info" if packed else None,
        impact="advice" if packed else None,
        fix=fill_fix,
        readers={} if packed else {"xarray": f"shows {plural(number, 'value')} as missing"},
        # beside another _FillValue that says more: what equals that one is shown as a value
        covers=("Z2-FV-006",) if array.fill is None else (),
    )


def fill_fix(node: Node) -> Draft:
    """Return the fix that leaves no fill value to be taken for a mark: null, or the ``_FillValue``."""
    given = node.attributes.get("_FillValue")
    if isinstance(given, str) and isinstance(node, Array) and node.data_type.kind == "bytes":
        size = node.data_type.itemsize or 0
        given = b64encode(given.encode("utf-8")[: size or None].ljust(size, b"\0")).decode("ascii")
    note = (
        "chunks that were not written then hold nothing in particular"
        if given is None
        else "chunks that were not written are missing then"
    )
    return Draft(
        "unsafe",
        (replace(FILL, given),),
        note=f"{note}; without a change of the store, xarray.open_zarr(…, mask_and_scale=False) shows what is stored",
    )
