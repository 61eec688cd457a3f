"""Readers of xarray objects, and of netCDF and HDF5 files."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nz_explorer.store.errors import SourceError
from nz_explorer.store.reader import Reader
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.text.phrases import listed

MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF")
"""How files of netCDF and HDF5 begin."""
KINDS = {"netCDF4": "netCDF file", "h5py": "HDF5 file"}
"""What a file is called that one of these packages has read."""
_BEGINNING = 65536
"""Bytes of a file in which netCDF-C writes that the file is its own."""
UNDECODED: dict[str, Any] = dict.fromkeys(
    ("mask_and_scale", "decode_times", "decode_timedelta", "concat_characters", "decode_coords"),
    False,
)
"""What ``decode_cf=False`` stands for, which ``xarray.open_groups`` does not heed."""


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
    if isinstance(source, xarray.DataArray) and name_of(source) == "data":
        name = None
    label = kind if name is None else f"{kind} {name}"
    try:
        groups = groups_of(source)
    except ValueError as error:
        raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
    return _reader(groups, label, kind)


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
    from nz_explorer.store.datasets.encoding import as_stored

    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    is_hdf5 = beginning.startswith(MAGIC[-1])
    failures = []
    for package, opened in (("netCDF4", _with_netcdf), ("h5py", _with_h5py)):
        if find_spec(package) is None or (package == "h5py" and not is_hdf5):
            continue
        if is_hdf5 and package == "netCDF4" and (odd := _misread(path, beginning)):
            failures.append(f"{package}: {odd}")
            continue
        try:
            groups, ragged, close = opened(path)
        except Exception as error:  # noqa: BLE001  # each library has errors of its own
            failures.append(f"{package}: {error}")
            continue
        with ExitStack() as closing:
            closing.callback(close)
            stored = {where: as_stored(one, ragged.get(where, {})) for where, one in groups.items()}
            return _reader(stored, label, KINDS[package], closing.pop_all().close)
    if not failures:
        raise SourceError(
            f"{label} is a netCDF or HDF5 file: reading it needs netCDF4 or h5py; install one with"
            " pip install netCDF4"
        )
    lacking = "; h5py reads some that netCDF-C does not: pip install h5py"
    known = len(failures) > 1 or not is_hdf5
    raise SourceError(f"{label} could not be read: {listed(failures)}{'' if known else lacking}")


def _misread(path: Path, beginning: bytes) -> str | None:
    """Return why netCDF-C should not read an HDF5 file, at some types of which it crashes."""
    if find_spec("h5py") is None:
        if b"_NCProperties" in beginning:
            return None
        return "netCDF-C crashes at some files of other writers, and it takes h5py to look into this one before"
    from nz_explorer.store.datasets.hdf5_file import misread

    try:
        found = misread(path)
    except OSError:
        return None  # netCDF-C says what is wrong
    return f"netCDF-C does not read {listed(found[:3])} as it is" if found else None


_Opened = tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]], Callable[[], None]]
"""The groups of a file by path, the types of its variable-length variables by group and name, and what closes it."""


def _with_h5py(path: Path) -> _Opened:
    from nz_explorer.store.datasets.hdf5_file import groups_of_file

    groups, close = groups_of_file(path)
    return groups, {}, close


def _with_netcdf(path: Path) -> _Opened:
    import xarray

    # not as a tree: a group may have a dimension of its own by the name of one above it
    groups = xarray.open_groups(path, engine="netcdf4", cache=False, **UNDECODED)
    closing = ExitStack()
    for group in groups.values():
        closing.callback(group.close)
    try:
        # while xarray has it open: closed before, it is what netCDF-C 4.10 crashes at where others have it open
        return groups, _ragged(path), closing.close
    except BaseException:
        closing.close()
        raise


def _ragged(path: Path) -> dict[str, dict[str, Any]]:
    """Return the types of the items of variable-length variables by group and name; xarray does not tell them apart."""
    import netCDF4
    from xarray.backends.netCDF4_ import NETCDF4_PYTHON_LOCK

    found: dict[str, dict[str, Any]] = {}
    # netCDF-C crashes where two threads are in it; xarray holds this while it opens, reads and closes
    with NETCDF4_PYTHON_LOCK, netCDF4.Dataset(path) as file:
        groups = [file]
        for group in groups:
            groups += group.groups.values()
            found[group.path] = {
                name: variable.dtype
                for name, variable in group.variables.items()
                if isinstance(variable.datatype, netCDF4.VLType) and variable.dtype is not str
            }
    return found


def _reader(groups: Mapping[str, Any], label: str, kind: str, close: Any = None) -> Reader:
    from nz_explorer.store.datasets.dataset_store import DatasetStore

    try:
        store = DatasetStore(groups, close)
    except ValueError as error:
        raise SourceError(f"{label} cannot be shown as Zarr: {error}") from error
    reader = RemoteReader(store, label, kind, local=True)
    reader.unwritten = True
    return reader
