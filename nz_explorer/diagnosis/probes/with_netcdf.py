"""netCDF-C, through netCDF4-python: opens the store in the mode of its address, and reads each variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Step, corners, text_of

STORAGE = frozenset(["file", "zip", "s3"])
DIALECTS = frozenset(["nczarr", "zarr", "xarray", "noxarray"])


def address_of(asked: Asked) -> str:
    """Return the URL that netCDF-C opens: with the mode that was given, completed by where the store lies.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    """
    modes = [mode for mode in asked.modes if mode in STORAGE | DIALECTS]
    if not DIALECTS & set(modes):
        modes.insert(0, "zarr")
    if not STORAGE & set(modes):
        modes.append("s3" if asked.is_url else "zip" if asked.is_zip else "file")
    # it takes %20 in the address of a file for these three characters
    place = asked.location if asked.is_url else unquote(Path(asked.location).resolve().as_uri())
    return f"{place}#mode={','.join(modes)}"


def run(asked: Asked, answers: Answers) -> None:
    """Open the store, and look at each group and variable.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    import netCDF4

    answers.write(at="/")
    with netCDF4.Dataset(address_of(asked)) as dataset:
        answers.write(path="/")
        for path in asked.nodes():
            if path != "/" or path in asked.arrays:
                with answers.step(path) as step:
                    node = dataset[path]
                    if path in asked.arrays:
                        _read(node, step)
                    else:  # of a group below the root they are read when somebody asks for them
                        step.during = "reading the attributes"
                        node.ncattrs()


def _read(variable: Any, step: Step) -> None:
    for number, corner in enumerate(corners(variable.shape)):
        step.during = "reading the last chunk" if number else "reading the first chunk"
        variable.set_auto_maskandscale(True)
        shown = text_of(variable[corner])
        variable.set_auto_maskandscale(False)
        raw = text_of(variable[corner])
        if number == 0:
            step.shown, step.raw = shown, raw
