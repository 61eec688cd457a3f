"""xarray.open_datatree: opens the whole hierarchy at once, and aligns what is below with what is above."""

from __future__ import annotations

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Unseen
from nz_explorer.diagnosis.probes.with_zarr import store_of


def run(asked: Asked, answers: Answers) -> None:
    """Open the hierarchy, and look for each group in it.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.

    Raises
    ------
    Unseen
        If a group is not in the tree; it is reported for that group.
    """
    import xarray as xr

    seen: set[str] = set()
    with answers.step("/"):
        tree = xr.open_datatree(store_of(asked), engine="zarr", chunks=None, consolidated=None)
        seen = {node.path for node in tree.subtree}
        tree.close()
    if not seen:
        return
    for path in asked.groups:
        if path != "/":
            with answers.step(path):
                if path not in seen:
                    raise Unseen(f"the tree has no {path}")
