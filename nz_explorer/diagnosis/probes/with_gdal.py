"""GDAL, through rasterio: opens each array as a raster, and reads its first and last pixel."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Step, text_of

SCALAR = "Unsupported number of dimensions"
"""What GDAL says of an array without dimensions, which is no raster: nothing is wrong with it."""


def run(asked: Asked, answers: Answers) -> None:
    """Open each array of at least one dimension, and read its first and last pixel.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    rasterio: Any = import_module("rasterio")
    answers.write(path="/")
    place = asked.location
    if asked.is_url:
        place = f"/vsicurl/{place}"
    elif asked.is_zip:
        place = f"/vsizip/{place}"
    for path in asked.arrays:
        name = f'ZARR:"{place}":{path}'
        with answers.step(path) as step:
            try:
                raster = _open(rasterio, name)
            except rasterio.errors.RasterioIOError as error:
                if SCALAR not in str(error):
                    raise
                continue
            with raster:
                _read(raster, step)


def _read(raster: Any, step: Step) -> None:
    height, width = raster.shape
    for number, (row, column) in enumerate({(0, 0): 0, (height - 1, width - 1): 0}):
        step.during = "reading the last chunk" if number else "reading the first chunk"
        window = ((row, row + 1), (column, column + 1))
        value = text_of(raster.read(1, window=window)[0, 0])
        step.raw = step.shown = step.raw if number else value


def _open(rasterio: Any, name: str) -> Any:
    """Open an array; of one of more than two dimensions the first slice."""
    found = rasterio.open(name)
    while not found.count and found.subdatasets:
        first = found.subdatasets[0]
        found.close()
        found = rasterio.open(first)
    return found
