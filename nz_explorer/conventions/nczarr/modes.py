"""NCZ: the modes in the address of a dataset, and what users of netCDF-C have to know of a zip file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.store import url_modes, without_fragment

if TYPE_CHECKING:
    from nz_explorer.model import Node


MODES = frozenset(
    (
        "nczarr",
        "zarr",
        "v2",
        "file",
        "zip",
        "s3",
        "gs3",
        "zoh",
        "xarray",
        "noxarray",
        "consolidated",
    )
)
"""Modes of a URL that netCDF-C uses for Zarr."""
FILE_MODES = frozenset(("bytes", "dap2", "dap4", "hdf5", "netcdf3", "netcdf4", "classic"))
"""Modes of netCDF-C for other things than Zarr."""


@rule("NCZ-MODE-001", on="root")
def mode(node: Node) -> Iterator[Fail]:
    """Report how the fragment of a URL, as netCDF-C uses it, was understood."""
    source, kind = node.hierarchy.source, node.hierarchy.reader.kind
    modes, fragment = url_modes(source), without_fragment(source)[1]
    # Elsewhere netCDF-C may know what it is by the scheme.
    if not modes and not (fragment and kind in ("folder", "zip file")):
        return
    known = [word for word in modes if word in MODES]
    others = [word for word in modes if word not in MODES]
    message = f"the fragment #{fragment}"
    message += f" was understood as {', '.join(known)}" if known else " names no mode of Zarr"
    for word in others:
        what = "for netCDF files, not Zarr" if word in FILE_MODES else "not known"
        message += f"; mode {word} is {what}; ignored"
    message += f"; read from {kind}"
    if whose := _names_meant(modes):
        message += f"; dimensions are named by {whose}"
    if not names_a_format(source):
        message += "; netCDF-C finds no dataset by it: it needs nczarr or zarr after mode=, in lower case, as in #mode=nczarr,file"
    yield Fail("", message)


_FORMATS = frozenset(("nczarr", "zarr", "xarray", "noxarray"))
"""Modes by which netCDF-C knows that something is Zarr; it does not look at a folder to find out."""
_KEYS_FOR_MODES = frozenset(("zarr", "xarray", "noxarray", "s3", "gs3"))
"""Keys without a value that netCDF-C takes for a mode which is one of `_FORMATS`, or for that and another."""


def names_a_format(source: str) -> bool:
    """Whether the fragment of an address tells netCDF-C 4.10 that the dataset is Zarr.

    It takes modes after ``mode=``, in lower case, and without blanks in front.

    Parameters
    ----------
    source : str
        The address.
    """
    for pair in source.partition("#")[2].split("&"):
        key, _, value = pair.partition("=")
        if pair in _KEYS_FOR_MODES or (
            key.lower() == "mode" and not _FORMATS.isdisjoint(value.split(","))
        ):
            return True
    return False


def in_zip_file(root: Node) -> str:
    """Return what users of netCDF-C have to know of a dataset in a zip file; nothing of any other.

    It writes one folder with everything in it, and takes the first folder of a zip file for the dataset.

    Parameters
    ----------
    root : Node
        The root of the dataset.
    """
    reader = root.hierarchy.reader
    if reader.kind != "zip file" or root.zarr_format != 2:
        return ""
    again = "zipped again by the name of its folder, as it writes zip files, and "
    built = "with a build that has libzip, unlike the wheels of netCDF4-python"
    return built if reader.packaging.top_folder else again + built


def _names_meant(modes: tuple[str, ...]) -> str:
    """Return whose names of dimensions a mode asks for; see `Array.dimension_names`."""
    if "noxarray" in modes:
        return "nothing"
    if "zarr" in modes or "xarray" in modes:
        return "_ARRAY_DIMENSIONS alone"
    return "what netCDF-C notes, else by _ARRAY_DIMENSIONS" if "nczarr" in modes else ""
