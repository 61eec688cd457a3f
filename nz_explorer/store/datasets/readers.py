"""Readers of xarray objects, and of netCDF and HDF5 files."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nz_explorer.store.errors import SourceError
from nz_explorer.store.reader import Reader
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.store.datasets.dataset_store import DatasetStore

MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF")
"""How files of netCDF and HDF5 begin."""
NETCDF_FILE, HDF5_FILE = "netCDF file", "HDF5 file"
"""What a file is called."""
_CUT = re.compile(r"truncated file: eof = (\d+).*stored_eof = (\d+)")
"""What HDF5 says of a file that ends too early."""
_BEGINNING = 65536
"""Bytes of a file in which netCDF-C writes that the file is its own."""


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

    from nz_explorer.store.datasets.dataset_store import DatasetStore

    kind = f"xarray {type(source).__name__}"
    name = None if isinstance(source, xarray.Dataset) else source.name
    if isinstance(source, xarray.DataArray) and name_of(source) == "data":
        name = None
    label = kind if name is None else f"{kind} {name}"
    try:
        store = DatasetStore(groups_of(source))
    except ValueError as error:
        raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
    return _reader(store, label, kind)


def name_of(source: Any) -> Hashable:
    """Return the name that a DataArray is shown by, which is not that of a coordinate with other values."""
    name = source.name
    own = name not in source.coords or source.coords[name].equals(source)
    return name if own and name is not None else "data"


def groups_of(source: Any) -> dict[str, Any]:
    """Return the groups of an xarray object by their paths, as Datasets.

    Raises
    ------
    ValueError
        If a name cannot be one of a node.
    """
    import xarray

    if isinstance(source, xarray.DataArray):
        name = source.name
        if name in source.coords and source.coords[name].equals(source):
            source = source.coords.to_dataset()
        else:
            source = source.to_dataset(
                name="data" if name is None or name in source.coords else name
            )
    tree = xarray.DataTree(source) if isinstance(source, xarray.Dataset) else source
    return {one.path: one.to_dataset(inherit=False) for one in tree.subtree}


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
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    failures: list[str] = []
    readers = [("netCDF4", _with_netcdf)]
    if is_hdf5 := beginning.startswith(MAGIC[-1]):
        readers = [("h5py", _with_h5py), *readers]
    for package, read in readers:
        if find_spec(package) is None:
            continue
        if is_hdf5 and package == "netCDF4" and b"_NCProperties" not in beginning:
            if not failures:
                failures = ["netCDF-C crashes at some HDF5 files of other writers"]
            continue
        try:
            store, kind = read(path)
        except ValueError as error:
            raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
        except Exception as error:  # noqa: BLE001  # each library has errors of its own
            failures.append(f"{package}: {error}")
            continue
        return _reader(store, label, kind)
    if not failures:
        raise SourceError(
            f"{label} is a netCDF or HDF5 file: reading it needs netCDF4 or h5py; install one with"
            " pip install netCDF4"
        )
    if cut := next(filter(None, map(_CUT.search, failures)), None):
        raise SourceError(
            f"{label} was written or copied only in part: it has {int(cut[1]):,} of {int(cut[2]):,} bytes"
        )
    lacking = "; h5py may read it: pip install h5py"
    known = not is_hdf5 or find_spec("h5py") is not None
    raise SourceError(f"{label} could not be read: {listed(failures)}{'' if known else lacking}")


def _with_h5py(path: Path) -> tuple[DatasetStore, str]:
    from nz_explorer.store.datasets.hdf5_file import groups_of_file

    groups, is_netcdf = groups_of_file(path)
    return _store(groups, {}), NETCDF_FILE if is_netcdf else HDF5_FILE


def _with_netcdf(path: Path) -> tuple[DatasetStore, str]:
    from nz_explorer.store.datasets.netcdf_file import groups_of_file

    groups, ragged, reading = groups_of_file(path)
    return _store(groups, ragged, reading), NETCDF_FILE


def _store(
    groups: Mapping[str, Any],
    ragged: Mapping[str, Mapping[str, Any]],
    reading: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> DatasetStore:
    from nz_explorer.store.datasets.dataset_store import DatasetStore
    from nz_explorer.store.datasets.encoding import as_stored

    stored = {where: as_stored(one, ragged.get(where, {})) for where, one in groups.items()}
    return DatasetStore(stored, reading)


def _reader(store: DatasetStore, label: str, kind: str) -> Reader:
    reader = RemoteReader(store, label, kind, local=True)
    reader.unwritten = True
    return reader
