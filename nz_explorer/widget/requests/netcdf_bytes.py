"""Values as a netCDF file, as far as netCDF and xarray's writer can hold what a store says of them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model.attribute_types import DURATIONS, PACKING
from nz_explorer.text.printable import encodable
from nz_explorer.values.reading.decoding import error_text
from nz_explorer.widget.requests.answer import BadRequest

if TYPE_CHECKING:
    import xarray

MOST_BYTES = 200
"""Of a name: netCDF takes 256, and names that are equal so far get a number."""
NAMING = frozenset(
    (
        "coordinates",
        "grid_mapping",
        "bounds",
        "climatology",
        "ancillary_variables",
        "cell_measures",
        "formula_terms",
    )
)
"""Attributes that xarray splits into words."""
KEPT = NAMING | {
    "units",
    "calendar",
    "dtype",
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
}
"""What is written as it was stored."""
RESERVED = frozenset(
    (
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_Netcdf4Dimid",
        "_Netcdf4Coordinates",
        "_nc3_strict",
        "_NCProperties",
        "_IsNetcdf4",
        "_SuperblockVersion",
        "_NCZARR_ATTR",
        "_Encoding",
    )
)
"""What netCDF-C and HDF5 keep for themselves in the attributes of a file; stores that were made from one may have them."""


def _parts(
    array: xarray.DataArray, values: np.ma.MaskedArray[Any, Any] | None
) -> Mapping[str, xarray.DataArray]:
    """Return an array as netCDF can hold it, by name: of complex numbers and of structures the parts, one by one."""
    name = "values" if array.name is None else str(array.name)
    if array.dtype.names is not None:
        return dict(_fields(name, array, values))
    if values is not None:
        array = _integers(array, values)
    if array.dtype.kind != "c":
        return {name: array}
    from nz_explorer.plots.complex_parts import PART_OF

    return {
        f"{name}_{one}": array.copy(data=PART_OF[one](array.values)).drop_encoding()
        for one in ("real", "imaginary")
    }


def _fields(
    name: str, array: xarray.DataArray, values: np.ma.MaskedArray[Any, Any] | None
) -> Iterator[tuple[str, xarray.DataArray]]:
    """Yield the members of structures as arrays of their own, which xarray writes, and the names for them."""
    whole = np.ma.asarray(array.values) if values is None else values
    for field in whole.dtype.names or ():
        found = whole[field]
        longer = [f"{name}_{field}_{at}" for at in range(found.ndim - array.ndim)]
        part = (
            array.drop_encoding()
            .copy(data=np.zeros(array.shape, bool))
            .expand_dims(
                dict(zip(longer, found.shape[array.ndim :], strict=True)),
                tuple(range(array.ndim, found.ndim)),
            )
        )
        part.attrs.pop("_FillValue", None)
        gone = np.ma.getmaskarray(found)
        if found.dtype.kind == "f" and gone.any():
            found = np.ma.masked_array(np.where(gone, np.nan, found.data), gone)
        yield from _parts(part.copy(data=found.data).rename(f"{name}_{field}"), found).items()


def _netcdf_name(name: str, taken: set[str]) -> str:
    """Return a name that netCDF takes: no ``/`` or control character, no odd first one, no blank at the end."""
    from nz_explorer.values.to_xarray import unused

    legal = re.sub(r"[/\x00-\x1f\x7f]", "_", name).rstrip(" ")
    legal = legal.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore")
    if not re.match(r"[A-Za-z0-9_\u0080-\U0010ffff]", legal):
        legal = f"_{legal}"
    return unused(legal, taken)


def _is_held(name: str, value: Any) -> bool:
    """Whether an attribute can be one of netCDF, which has none that are objects, null, bools or of several types."""
    if name in RESERVED or (name in NAMING and not isinstance(value, str)):
        return False
    if isinstance(value, str):
        return encodable(value) == value
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return all(encodable(one) == one for one in value)
    try:
        numbers = np.asarray(value)
    except (ValueError, OverflowError):  # lists of unequal lengths
        return False
    return numbers.ndim < 2 and numbers.size > 0 and numbers.dtype.kind in "iuf"


def holds_dates(array: xarray.DataArray | xarray.Variable) -> bool:
    """Return whether the objects of an array are dates of cftime."""
    return array.dtype.kind == "O" and " since " in str(array.encoding.get("units"))


def _counted(variable: xarray.Variable) -> xarray.Variable:
    """Return dates of cftime of which some are missing, and which xarray does not write, as the numbers that they are counted in."""
    if not holds_dates(variable):
        return variable
    dates = variable.values
    here = np.array([one is not None for one in dates.flat], np.bool_).reshape(dates.shape)
    if here.all():
        return variable
    import cftime  # type: ignore[import-untyped, unused-ignore]

    units, calendar = variable.encoding["units"], variable.encoding.get("calendar", "standard")
    numbers = np.full(dates.shape, np.nan)
    numbers[here] = cftime.date2num(dates[here], units, calendar)
    described = {**variable.attrs, "units": units, "calendar": calendar}
    return type(variable)(variable.dims, numbers, described, {"_FillValue": np.nan})


LIMITS = {"valid_range", "valid_min", "valid_max"}
"""Attributes of stored numbers, by which some readers mask."""
_TICKS = {"dtype": np.dtype(np.int64), "_FillValue": np.iinfo(np.int64).min}
_YEARS = np.datetime64("1677"), np.datetime64("2262")
"""Between which times can be counted in nanoseconds."""
_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}


def _of_any_year(variable: xarray.Variable) -> xarray.Variable:
    """Return times that cannot be counted in nanoseconds, which xarray does not write or rounds, as what they are counted in."""
    unit = _UNITS.get(np.datetime_data(variable.dtype)[0]) if variable.dtype.kind == "M" else None
    times = variable.values if unit is not None else np.empty(0)
    gone = np.isnat(times) if unit is not None else np.empty(0, np.bool_)
    years = times[~gone].astype("M8[Y]")
    if not years.size or (years.min() > _YEARS[0] and years.max() < _YEARS[1]):
        return variable
    ticks = times.astype(np.int64)
    numbers = np.where(gone, np.nan, ticks) if gone.any() else ticks
    counted = {"units": f"{unit} since 1970-01-01", "calendar": "proleptic_gregorian"}
    marks = {"_FillValue": np.nan} if gone.any() else {}
    return type(variable)(variable.dims, numbers, {**variable.attrs, **counted}, marks)


def _integers(array: xarray.DataArray, values: np.ma.MaskedArray[Any, Any]) -> xarray.DataArray:
    """Return integers as such, of the sign that attributes are written for, those masked as a _FillValue that no other is."""
    gone = np.ma.getmaskarray(values)
    other = array.encoding.get("_Unsigned")
    if values.dtype.kind not in "iu" or array.dtype.kind not in "iuf":
        return array
    data, marks = values.data, {}
    if gone.any() and str(array.attrs.get("units")) in DURATIONS and data.dtype.itemsize < 8:
        return array.drop_encoding()  # xarray (2026) makes -2**63 of missing integers in days
    if gone.any():
        # As floats, which readers make of integers with gaps, some of 8 bytes are the same.
        limits, here = np.iinfo(data.dtype), values.compressed().astype(np.float64)
        free = (data[gone][0], limits.min, limits.max, *range(100))
        fill = next((one for one in free if not (here == float(one)).any()), None)
        if fill is None:
            return array  # floats hold integers of one byte
        marks["_FillValue"] = data.dtype.type(fill)
        data = np.where(gone, marks["_FillValue"], data)
    elif other is None:
        return array
    if other is not None:
        stored = f"{'i' if data.dtype.kind == 'u' else 'u'}{data.dtype.itemsize}"
        data, marks = data.view(stored), {name: one.view(stored) for name, one in marks.items()}
        marks["_Unsigned"] = other
    return array.copy(data=data).drop_encoding().assign_attrs(marks)


def _limited(made: xarray.Variable, variable: xarray.Variable) -> dict[Any, Any]:
    """Return the attributes of what is written, its limits being of the type of the values, and of those that are written."""
    if any(name in variable.encoding and name not in made.encoding for name in PACKING):
        return {name: one for name, one in made.attrs.items() if name not in LIMITS}
    own = np.dtype(variable.encoding.get("dtype", variable.dtype))
    stored = np.dtype(made.encoding.get("dtype", made.dtype))
    attributes = dict(made.attrs)
    for name in LIMITS & attributes.keys():
        limit = np.asarray(attributes[name])
        if own.kind == stored.kind == "f" and limit.dtype.kind in "iuf":
            with np.errstate(over="ignore"):  # float32 has no 0.1: its nearest is no more than that
                attributes[name] = limit.astype(own).astype(stored)
    return attributes


def _made_writable(variable: xarray.Variable) -> xarray.Variable:
    """Return a variable that xarray can write, of the same values."""
    import xarray as xr

    variable = _of_any_year(_counted(variable))
    taken: set[str] = set()
    attributes = {
        _netcdf_name(name, taken): value
        for name, value in variable.attrs.items()
        if _is_held(name, value)
        and not (variable.dtype.kind in "mMO" and name in ("units", "calendar"))
    }
    encoding = {name: one for name, one in variable.encoding.items() if name in KEPT}
    # Packed without a _FillValue, a NaN would be whatever a cast makes of it.
    if variable.dtype.kind == "f" and "_FillValue" not in encoding:
        for name in ("dtype", "scale_factor", "add_offset"):
            encoding.pop(name, None)
    # xarray turns integers of the other signedness back only where they have a _FillValue.
    if variable.dtype.kind in "iu" and "_FillValue" not in encoding:
        for name in ("dtype", "_Unsigned"):
            encoding.pop(name, None)
    # it writes no _FillValue of texts
    if variable.dtype.kind in "OSU" and not holds_dates(variable):
        encoding = {name: encoding[name] for name in NAMING & encoding.keys()}
    # xarray writes missing times as the lowest integer, and nothing that says so.
    if variable.dtype.kind in "mM" and "_FillValue" not in encoding and variable.isnull().any():
        encoding |= _TICKS
    # Numbers of float64 are not all integers of 8 bytes: what they are packed into may be no _FillValue.
    if variable.dtype.kind == "f" and np.dtype(encoding.get("dtype", "f4")) in ("i8", "u8"):
        encoding = {}
    made = variable.copy(deep=False)
    if variable.dtype == np.float16:  # netCDF has none
        made = variable.astype(np.float32)
        encoding.pop("dtype", None)
    made.attrs, made.encoding = attributes, encoding
    try:
        encoded = xr.conventions.encode_cf_variable(made)
        if (
            encoded.dtype.kind == "b"
            or encoded.dtype == np.float16
            or not all(_is_held(name, value) for name, value in encoded.attrs.items())
        ):
            made.encoding = {}
    except Exception:  # noqa: BLE001  # xarray raises many kinds: KeyError of months, TypeError of odd packing
        made.encoding = {}
    made.attrs = _limited(made, variable)
    return made


def netcdf_file(
    array: xarray.DataArray, values: np.ma.MaskedArray[Any, Any] | None = None
) -> bytes:
    """Return the bytes of a netCDF file of an array.

    Parameters
    ----------
    array
        The array. What netCDF cannot hold is left out or changed: attributes that are no text and no numbers, complex
        coordinates, floats of 2 bytes. Where xarray cannot write values as they were stored (it reads times in months,
        for example, and does not write them) they are written as it chooses.
    values
        Its values, masked where there is none: integers are then written as such.

    Raises
    ------
    BadRequest
        If xarray cannot write it for another reason.
    """
    import xarray as xr

    dataset = xr.Dataset(_parts(array, values))
    taken: set[str] = set()
    dataset = dataset.rename(
        {name: _netcdf_name(str(name), taken) for name in {*dataset.variables, *dataset.dims}}
    )
    left_out = [name for name, one in dataset.coords.items() if one.dtype.kind == "c"]
    dataset = dataset.drop_vars(left_out)
    made = {name: _made_writable(one) for name, one in dataset.variables.items()}
    dataset = xr.Dataset(
        {name: made[name] for name in dataset.data_vars},
        {name: made[name] for name in dataset.coords},
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "slice.nc"
        try:
            if find_spec("netCDF4"):
                from nz_explorer.store.datasets.netcdf_file import write_file

                write_file(dataset, file)
            else:
                dataset.to_netcdf(file)
        except (OSError, MemoryError):
            raise
        except Exception as error:
            raise BadRequest(f"xarray cannot write this as netCDF: {error_text(error)}") from error
        return file.read_bytes()
