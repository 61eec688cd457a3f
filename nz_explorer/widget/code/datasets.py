"""How programs read xarray objects and netCDF files with xarray itself."""

from __future__ import annotations

import numpy as np

from nz_explorer.model import Hierarchy
from nz_explorer.store.datasets.dataset_store import DatasetStore
from nz_explorer.store.datasets.readers import HDF5_FILE, NETCDF_FILE
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.text.source_code import arguments, literal
from nz_explorer.widget.code.other_stores import given_as

_NO_NETCDF = (
    "this HDF5 file holds what netCDF has not, and so xarray may not open it; nz_explorer reads it"
)
ENCODED = "xarray encodes it when it writes, and so it is shown; nz_explorer reads it so"


def is_object(hierarchy: Hierarchy) -> bool:
    """Return whether an xarray object was opened."""
    return hierarchy.reader.kind.startswith("xarray ")


def is_file(hierarchy: Hierarchy) -> bool:
    """Return whether a netCDF or HDF5 file was opened."""
    return hierarchy.reader.kind in (NETCDF_FILE, HDF5_FILE)


def refused_file(hierarchy: Hierarchy) -> str | None:
    """Return a sentence that says why xarray does not read a file; None where it does."""
    return _NO_NETCDF if hierarchy.reader.kind == HDF5_FILE else None


def is_served(hierarchy: Hierarchy) -> bool:
    """Return whether zarr itself cannot open what was opened, and is given the store that nz_explorer makes of it."""
    references = hierarchy.reader.kind.startswith("references")
    return references or is_object(hierarchy) or is_file(hierarchy)


def part_of_object(hierarchy: Hierarchy, path: str) -> str:
    """Return an expression of a group or a variable of the xarray object ``ds``.

    Parameters
    ----------
    hierarchy : Hierarchy
        What the object is shown as.
    path : str
        Of the group or array.
    """
    _, kind, *name = hierarchy.reader.label.split(" ", 2)
    own = kind == "DataArray" and path == f"/{name[0] if name else 'data'}"
    return "ds" if own or path == "/" else f"ds[{literal(path[1:])}]"


def array_of_object(hierarchy: Hierarchy, path: str, parts: str) -> str | None:
    """Return an expression of a DataArray in the object ``ds``; None where its values are shown as xarray encodes them.

    Parameters
    ----------
    hierarchy : Hierarchy
        What the object is shown as.
    path : str
        Of the array.
    parts : str
        The index.
    """
    reader = hierarchy.reader
    store = reader.store if isinstance(reader, RemoteReader) else None
    variable = store.variable(path.strip("/")) if isinstance(store, DatasetStore) else None
    if variable is None or not variable.unchanged:
        return None
    part = part_of_object(hierarchy, path) + (f"[{parts}]" if parts else "")
    fill = variable.fill_value
    if variable.variable.dtype.kind == "b":
        part += f".astype({literal(str(variable.dtype))})"
    if fill is not None and variable.variable.dtype.kind in "fc" and not np.isnan(fill):
        part += f".fillna({literal(fill)})"  # with which NaN is stored
    return part


def opened_file(hierarchy: Hierarchy, group: str, *, decoded: bool) -> str:
    """Return the line that opens a group of a netCDF file as ``ds``.

    Parameters
    ----------
    hierarchy : Hierarchy
        What the file is shown as.
    group : str
        Its path.
    decoded : bool
        Whether values are decoded.
    """
    given = arguments(
        given_as(hierarchy),
        group=group.strip("/") or None,
        decode_cf=None if decoded else False,
    )
    return f"ds = xr.open_dataset({given})"
