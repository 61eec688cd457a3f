"""Whether a place of the local file system lies in a store, so that what is there is a stranger's."""

from __future__ import annotations

from pathlib import Path

METADATA = ("zarr.json", ".zgroup", ".zarray", ".zmetadata")


def store_around(folder: Path) -> Path | None:
    """Return the outermost folder with metadata of Zarr, of a folder and all above it; None if there is none.

    Parameters
    ----------
    folder : Path
        A folder, whether it is there or not; links on the way to it are followed.
    """
    place = folder.resolve()
    stores = [
        one for one in (place, *place.parents) if any((one / name).is_file() for name in METADATA)
    ]
    return stores[-1] if stores else None
