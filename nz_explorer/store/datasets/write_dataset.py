"""Writing an xarray object as a Zarr store that follows NZ-1.0."""

from __future__ import annotations

import base64
import json
import struct
import warnings
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.store.datasets.dataset_store import DatasetStore, created
from nz_explorer.store.datasets.readers import groups_of
from nz_explorer.store.errors import SourceError

if TYPE_CHECKING:
    import zarr

    from nz_explorer.store.datasets.encoding import Encoded

FillSpelling = Literal["nz", "xarray"]


def write_dataset(
    source: Any,
    path: str | Path,
    *,
    fill: FillSpelling = "nz",
) -> Path:
    """Write an xarray object, chunk by chunk, as a folder of Zarr v3 that declares and follows NZ-1.0.

    Parameters
    ----------
    source : Dataset, DataArray or DataTree
        The object, in memory or computed while it is written.
    path : str or Path
        The folder, which must not exist yet.
    fill : {"nz", "xarray"}
        How `_FillValue` of floats is written: as the number or name that NZ-1.0 wants, with which xarray (up to
        2026.9) does not open the group, or in xarray's base64, which other readers do not recognize.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    SourceError
        If something is at the path already, or the object holds what Zarr cannot.
    ValueError
        If `fill` is neither of its values.
    """
    folder = Path(path).expanduser().absolute()
    if folder.exists():
        raise SourceError(f"{path} exists already; nothing was written")
    if fill not in ("nz", "xarray"):
        raise ValueError(f"fill must be nz or xarray, not {fill!r}")
    try:
        served = DatasetStore(groups_of(source), packed=True)
    except ValueError as error:
        raise SourceError(f"{str(error).rstrip('.')}; nothing was written") from error
    if served.unsupported:
        raise SourceError(
            f"Zarr has no type for {', '.join(served.unsupported)}; nothing was written"
        )
    folder.mkdir(parents=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types without a specification: check says so
        for key, document in sorted(served.documents().items()):
            name = key.removesuffix("zarr.json").rstrip("/")
            variable = served.variable(name)
            (folder / name).mkdir(parents=True, exist_ok=True)
            written = (
                document if variable is None else _array(document, variable, folder / name, fill)
            )
            (folder / key).write_text(json.dumps(written, indent=2), "utf-8")
    return folder


def _array(
    document: dict[str, Any], variable: Encoded, folder: Path, fill: FillSpelling
) -> dict[str, Any]:
    """Write the chunks of an array with the compression that zarr chooses, and return its document."""
    target = created(folder, variable)
    for region in _regions(target):
        target[region or ...] = variable.values(region)
    written: dict[str, Any] = json.loads((folder / "zarr.json").read_bytes())
    return written | {
        "dimension_names": document["dimension_names"],
        "attributes": _spelled(document["attributes"], variable.dtype, fill),
    }


def _regions(array: zarr.Array[Any]) -> product[tuple[slice, ...]]:
    return product(
        *(
            [slice(begin, min(begin + size, length)) for begin in range(0, length, size)]
            for size, length in zip(array.chunks, array.shape, strict=True)
        )
    )


def _spelled(attributes: dict[str, Any], dtype: Any, fill: FillSpelling) -> dict[str, Any]:
    """Return attributes with the fill value of a float as xarray reads it, where that is wanted."""
    value = attributes.get("_FillValue")
    if fill == "nz" or value is None or dtype is str or np.dtype(dtype).kind != "f":
        return attributes
    packed = struct.pack(
        "<d", float(value.replace("Infinity", "inf") if isinstance(value, str) else value)
    )
    return attributes | {"_FillValue": base64.b64encode(packed).decode("ascii")}
