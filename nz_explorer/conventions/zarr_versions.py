"""What readers do with some versions of zarr-python only; xarray reads with the one that is installed beside it."""

from __future__ import annotations


def in_versions(when: str, does: str) -> dict[str, str]:
    """Return what some versions of zarr-python do at something, and xarray with them.

    Parameters
    ----------
    when : str
        Which versions: ``before 3.2``, ``since 3.4``.
    does : str
        What they do.

    Returns
    -------
    dict of str
        Sentences by the names of the readers.
    """
    return {
        "zarr-python": f"{does} ({when})",
        "xarray": f"cannot open the group (with zarr-python {when})",
    }
