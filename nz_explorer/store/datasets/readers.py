"""Readers of xarray objects, and of netCDF and HDF5 files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nz_explorer.store.errors import SourceError
from nz_explorer.store.reader import Reader
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.text.phrases import listed

MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF")
"""How files of netCDF and HDF5 begin."""
ENGINES: dict[str, dict[str, Any]] = {"netcdf4": {}, "h5netcdf": {"phony_dims": "sort"}}
"""What reads them, with the options of each."""


def is_xarray(source: Any) -> bool:
    """Whether something is a Dataset, a DataArray or a DataTree."""
    return type(source).__module__.split(".")[0] == "xarray" and hasattr(source, "coords")


def xarray_reader(source: Any) -> Reader:
    """Return a reader of an xarray object as NZ would store it.

    Parameters
    ----------
    source : Dataset, DataArray or DataTree
        In memory, or computed when it is needed.

    Raises
    ------
    SourceError
        If it holds something that cannot be stored.
    """
    import xarray

    kind = f"xarray {type(source).__name__}"
    name = None if isinstance(source, xarray.Dataset) else source.name
    label = kind if name is None else f"{kind} {name}"
    try:
        tree = tree_of(source)
    except ValueError as error:
        raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
    return _reader(tree, label, kind)


def tree_of(source: Any) -> Any:
    """Return an xarray object as a DataTree.

    Raises
    ------
    ValueError
        If a name cannot be one of a node.
    """
    import xarray

    if isinstance(source, xarray.DataArray):
        source = source.to_dataset(name="data" if source.name is None else source.name)
    return xarray.DataTree(source) if isinstance(source, xarray.Dataset) else source


def file_reader(path: Path, label: str) -> Reader:
    """Return a reader of a netCDF or HDF5 file as NZ would store it.

    Parameters
    ----------
    path : Path
        The file.
    label : str
        The source as the user knows it.

    Raises
    ------
    SourceError
        If it cannot be read, or nothing is installed that reads it.
    """
    import xarray

    from nz_explorer.store.datasets.encoding import as_stored

    failures = []
    for engine, options in ENGINES.items():
        if engine not in xarray.backends.list_engines():
            continue
        try:
            tree = xarray.open_datatree(
                path, engine=engine, decode_cf=False, cache=False, **options
            )
        except Exception as error:  # noqa: BLE001  # each library has errors of its own
            failures.append(f"{engine}: {error}")
            continue
        return _reader(tree.map_over_datasets(as_stored), label, "netCDF file", tree.close)
    if not failures:
        raise SourceError(
            f"{label} is a netCDF or HDF5 file: reading it needs netCDF4 or h5netcdf; install one with"
            " pip install netCDF4"
        )
    raise SourceError(f"{label} could not be read: {listed(failures)}")


def _reader(tree: Any, label: str, kind: str, close: Any = None) -> Reader:
    from nz_explorer.store.datasets.dataset_store import DatasetStore

    try:
        store = DatasetStore(tree, close)
    except ValueError as error:
        raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
    reader = RemoteReader(store, label, kind, local=True)
    reader.unwritten = True
    return reader
