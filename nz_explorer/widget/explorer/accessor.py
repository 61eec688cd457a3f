"""The accessor ``.nz`` of xarray's Dataset, DataArray and DataTree.

It is there where both xarray and nz_explorer were imported, in either order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import xarray

if TYPE_CHECKING:
    from pathlib import Path

    from nz_explorer.report.report import Report
    from nz_explorer.store.datasets.write_dataset import FillSpelling
    from nz_explorer.widget.explorer.explorer import Explorer


class Accessor:
    """What nz_explorer does with an xarray object.

    Parameters
    ----------
    source : Dataset, DataArray or DataTree
        The object, in memory or computed when it is needed.
    """

    def __init__(self, source: Any) -> None:
        self._source = source

    def explore(self, **options: Any) -> Explorer:
        """Show it in the explorer, as NZ would store it.

        Parameters
        ----------
        **options
            As for `nz_explorer.explore`.
        """
        import nz_explorer

        return nz_explorer.explore(self._source, **options)

    def check(self, **options: Any) -> Report:
        """Check it as NZ would store it, before anything is written.

        Parameters
        ----------
        **options
            As for `nz_explorer.check`.
        """
        import nz_explorer

        return nz_explorer.check(self._source, **options)

    def to_zarr(self, path: str | Path, *, fill: FillSpelling = "nz") -> Path:
        """Write it as a folder of Zarr v3 that follows NZ-1.0; see `write_dataset`.

        Parameters
        ----------
        path : str or Path
            The folder, which must not exist yet.
        fill : {"nz", "xarray"}
            How `_FillValue` of floats is written: as NZ-1.0 wants, or in the base64 that xarray reads.

        Raises
        ------
        SourceError
            If something is at the path already, or the object holds what Zarr cannot.
        """
        from nz_explorer.store.datasets.write_dataset import write_dataset

        return write_dataset(self._source, path, fill=fill)


for register in (
    xarray.register_dataset_accessor,
    xarray.register_dataarray_accessor,
    xarray.register_datatree_accessor,
):
    register("nz")(Accessor)  # type: ignore[no-untyped-call]
