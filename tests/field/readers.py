"""The readers whose behaviour the cases record, each opening all of a store and loading all of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import zarr
from zarr.storage import ZipStore


def _store(source: Any) -> Any:
    zipped = isinstance(source, Path) and source.suffix == ".zip" and source.is_file()
    return ZipStore(source, mode="r") if zipped else source


def xarray(source: Any) -> Any:
    """Open a store as people do, with ``xr.open_zarr``, and load it."""
    import xarray as xr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with xr.open_zarr(_store(source), chunks=None) as dataset:
            return dataset.load()


def tree(source: Any) -> Any:
    """Open a store as a tree of xarray's, and load it."""
    import xarray as xr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with xr.open_datatree(_store(source), engine="zarr", chunks=None) as opened:
            return opened.load()


def zarr_python(source: Any) -> dict[str, Any]:
    """Open a store with zarr-python, and return the values of all arrays that it lists, by path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = zarr.open(_store(source), mode="r")
        if isinstance(root, zarr.Array):
            return {"": root[...]}
        found = dict(root.members(max_depth=None))
        return {
            path: node[...] if isinstance(node, zarr.Array) else None
            for path, node in found.items()
        }


def netcdf_c(source: Path) -> dict[str, Any]:
    """Open a store with netCDF-C, and return the values of the variables in its root, by name."""
    import netCDF4

    with netCDF4.Dataset(f"{source.as_uri()}#mode=nczarr,file") as dataset:
        return {name: variable[...] for name, variable in dataset.variables.items()}
