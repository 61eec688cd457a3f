"""netCDF files as Datasets, read and written with netCDF-C through xarray, one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import netCDF4
import xarray
from xarray.backends import NetCDF4DataStore
from xarray.backends.netCDF4_ import NETCDF4_PYTHON_LOCK


class _Lock:
    """xarray's lock of netCDF-C, which a thread that has it may take again.

    netCDF-C crashes where two threads are in it, and xarray (2026.9) has its lock while it opens, reads or writes
    values and closes, but not while it reads or writes names, attributes and dimensions. So we have it around all of that.
    """

    def __init__(self) -> None:
        self._own = threading.RLock()
        self._depth = 0

    def acquire(self, blocking: bool = True) -> bool:
        """Return whether the thread has the lock now."""
        if not self._own.acquire(blocking):
            return False
        if not self._depth and not NETCDF4_PYTHON_LOCK.acquire(blocking):
            self._own.release()
            return False
        self._depth += 1
        return True

    def release(self) -> None:
        """Give it up as often as it was taken."""
        self._depth -= 1
        if not self._depth:
            NETCDF4_PYTHON_LOCK.release()
        self._own.release()

    def locked(self) -> bool:
        """Return whether a thread has it."""
        return self._depth > 0

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *args: object) -> None:
        self.release()


_LOCK = _Lock()


def groups_of_file(
    path: Path,
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], Callable[[], AbstractContextManager[None]]]:
    """Return the groups of a netCDF file by their paths.

    libhdf5 crashes where a file is open twice and closed once, and the user may have it open, too; so it is open only
    while it is read.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    groups : dict
        Datasets, whose values are read when they are asked for.
    ragged : dict
        The types of the items of variable-length variables by group and name; xarray does not tell them apart.
    reading : callable
        Returns a context manager, in which values must be read.
    """
    groups: dict[str, Any] = {}
    ragged: dict[str, dict[str, Any]] = {}
    with _LOCK:
        store = NetCDF4DataStore.open(str(path), lock=_LOCK)  # type: ignore[no-untyped-call]
        with closing(store):
            waiting = [store.ds]
            for group in waiting:
                waiting += group.groups.values()
                # not as a tree: a group may have a dimension of its own by the name of one above it
                own = store.get_child_store(group.path.strip("/")) if group.path != "/" else store
                groups[group.path] = xarray.open_dataset(own, cache=False, decode_cf=False)
                ragged[group.path] = {
                    name: variable.dtype
                    for name, variable in group.variables.items()
                    if isinstance(variable.datatype, netCDF4.VLType) and variable.dtype is not str
                }

    @contextmanager
    def reading() -> Iterator[None]:
        with _LOCK, closing(store):  # xarray opens it again when it needs it
            yield

    return groups, ragged, reading


def write_file(dataset: xarray.Dataset, path: Path) -> None:
    """Write a Dataset, whose names and attributes netCDF takes, as a netCDF-4 file.

    Parameters
    ----------
    dataset : xarray.Dataset
        Its variables are written as their ``encoding`` says.
    path : Path
        The file. What is there is replaced.

    Raises
    ------
    ValueError, TypeError, OSError
        What xarray and netCDF4 raise.
    """
    with _LOCK, closing(NetCDF4DataStore.open(str(path), "w", lock=_LOCK)) as store:  # type: ignore[no-untyped-call]
        dataset.dump_to_store(store)
