"""Numbers: windows of arrays, decoded chunks, cell states, coordinates, and xarray's view of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading

if TYPE_CHECKING:
    import zarr

    from nz_explorer.model import Array

__all__ = ["UnsupportedArray", "open_array"]


def open_array(array: Array) -> zarr.Array[Any]:
    """Return an array of the model as zarr has it.

    Parameters
    ----------
    array
        The array; its own documents are used, nothing is read.

    Returns
    -------
    zarr.Array
        Without attributes and dimension names, which zarr-python may refuse.

    Raises
    ------
    UnsupportedArray
        If zarr cannot read it, with the reason in a sentence.
    """
    return open_for_reading(array).zarr
