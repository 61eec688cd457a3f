"""A small image of OME-Zarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import zarr

AXES = [
    {"name": "t", "type": "time", "unit": "second"},
    {"name": "c", "type": "channel"},
    {"name": "z", "type": "space", "unit": "micrometer"},
    {"name": "y", "type": "space", "unit": "micrometer"},
    {"name": "x", "type": "space", "unit": "micrometer"},
]
OMERO = {
    "channels": [
        {"label": "DAPI", "window": {"start": 20, "end": 90, "min": 0, "max": 255}},
        {"label": "GFP", "window": {"start": 5, "end": 7, "min": 0, "max": 255}},
    ],
    "rdefs": {"defaultZ": 3, "defaultT": 1},
}


SYSTEMS = [{"name": "stage", "axes": AXES[3:]}, {"name": "intrinsic", "axes": AXES}]


def placed(dataset: dict[str, Any]) -> dict[str, Any]:
    """Return a level of 0.4 as 0.6 has it: one transformation, into a coordinate system."""
    given = dataset["coordinateTransformations"]
    given[0]["scale"][0] = 2
    one = given[0] if len(given) == 1 else {"type": "sequence", "transformations": given}
    one |= {"input": {"path": dataset["path"]}, "output": {"name": "intrinsic"}}
    return {**dataset, "coordinateTransformations": [one]}


def steps(*scale: float, translation: list[float] | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"type": "scale", "scale": list(scale)}]
    return (
        found
        if translation is None
        else [*found, {"type": "translation", "translation": translation}]
    )


def image(folder: Path, version: Literal["0.4", "0.5", "0.6"] = "0.4", **more: Any) -> Path:
    """Write an image of two levels; the planes of the first are told apart by their values."""
    group = zarr.open_group(folder, mode="w", zarr_format=2 if version == "0.4" else 3)
    numbers = np.arange(2 * 2 * 6).reshape(2, 2, 6, 1, 1).astype("u2")
    values = numbers * 100 + np.arange(12, dtype="u2").reshape(3, 4)
    group.create_array("0", data=values)
    group.create_array("1", data=values[:, :, ::2])
    datasets = [
        {"path": "0", "coordinateTransformations": steps(1, 1, 0.5, 0.1, 0.1)},
        {
            "path": "1",
            "coordinateTransformations": steps(1, 1, 1, 0.1, 0.1, translation=[0, 0, 0.25, 0, 0]),
        },
    ]
    scales = {"axes": AXES, "datasets": datasets, "coordinateTransformations": steps(2, 1, 1, 1, 1)}
    if version == "0.6":
        scales = {"coordinateSystems": SYSTEMS, "datasets": [*map(placed, datasets)]}
    given = {"multiscales": [scales], "omero": OMERO, **more}
    if version == "0.4":
        scales["version"] = version
    group.attrs.update(given if version == "0.4" else {"ome": {"version": version, **given}})
    return folder
