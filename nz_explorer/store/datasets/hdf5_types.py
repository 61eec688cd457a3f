"""What an HDF5 file holds that netCDF-C misreads, for there is no such type in netCDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def misread(path: Path) -> list[str] | None:
    """Return the datasets of an HDF5 file that netCDF-C does not read as they are.

    It takes numbers of 2 and 16 bytes for texts, at which it crashes; it cuts texts in compound types, passes over opaque
    values, dates and compound types in others, and opens nothing of a file with a dataset without a value (netCDF-C 4.10).

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of str or None
        Their paths; None where h5py is not installed, with which they are found.

    Raises
    ------
    OSError
        If h5py cannot read the file.
    """
    try:
        import h5py
    except ImportError:
        return None
    found = []

    def look(name: str, one: Any) -> None:
        if isinstance(one, h5py.Dataset) and (
            one.shape is None or one.compression == "lzf" or not _is_of_netcdf(one.dtype)
        ):
            found.append(f"/{name}")

    with h5py.File(path, "r") as file:
        file.visititems(look)
    return found


def _is_of_netcdf(dtype: Any) -> bool:
    if dtype.kind == "f":
        return dtype.itemsize in {4, 8}
    if dtype.kind != "V":
        return dtype.kind not in "Mm"
    fields = [kind.base for kind, *_ in (dtype.fields or {}).values()]
    return bool(fields) and all(
        kind.kind != "V" and _is_of_netcdf(kind) and (kind.kind != "S" or kind.itemsize == 1)
        for kind in fields
    )
