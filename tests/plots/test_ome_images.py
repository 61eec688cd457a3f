"""Images of OME-Zarr: what the group says of axes, channels and planes is in the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zarr

from nz_explorer.model import open_store
from nz_explorer.plots import QuickLook, make

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


def steps(*scale: float, translation: list[float] | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"type": "scale", "scale": list(scale)}]
    return (
        found
        if translation is None
        else [*found, {"type": "translation", "translation": translation}]
    )


def image(folder: Path, version: Literal["0.4", "0.5"] = "0.4", **more: Any) -> Path:
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
    given = {"multiscales": [scales], "omero": OMERO, **more}
    group.attrs.update(given if version == "0.4" else {"ome": {"version": "0.5", **given}})
    return folder


def look(folder: Path, path: str, index: dict[str, int] | None = None, **options: Any) -> QuickLook:
    return make(open_store(folder), path, index, **options)


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_axes_have_the_names_units_and_places_of_their_image(
    tmp_path: Path, version: Literal["0.4", "0.5"]
) -> None:
    folder = image(tmp_path / "i.zarr", version)
    found = look(folder, "/0", {"t": 1, "c": 1, "z": 2})
    assert found.y is not None
    assert found.x is not None
    assert found.x.coordinates is not None
    assert (found.kind, found.y.label, found.x.label) == ("map", "y", "x")
    assert (found.x.units, found.y.units) == ("micrometer", "micrometer")
    np.testing.assert_allclose(found.x.coordinates, [0, 0.1, 0.2, 0.3])
    assert found.y.downwards
    assert [(s.dimension, s.label, s.units) for s in found.sliders] == [
        ("t", "2", "second"),
        ("c", "GFP", None),
        ("z", "1", "micrometer"),
    ]
    assert found.low == (12 + 6 + 2) * 100
    smaller = look(folder, "/1", {"t": 0, "c": 0, "z": 1})
    assert [s.label for s in smaller.sliders] == ["0", "DAPI", "1.25"]


def test_names_of_an_array_come_before_those_of_its_image(tmp_path: Path) -> None:
    folder = image(tmp_path / "i.zarr")
    zarr.open_array(folder / "0").attrs["_ARRAY_DIMENSIONS"] = ["a", "b", "d", "e", "f"]
    assert [s.dimension for s in look(folder, "/0").sliders] == ["a", "b", "d"]


@pytest.mark.parametrize(
    "bad",
    [3, [3], [{"axes": 3}], [{"axes": AXES}], [{"axes": AXES, "datasets": [3, {"path": 3}]}],
     [{"axes": AXES[1:], "datasets": [{"path": "0"}]}], [{"axes": AXES, "datasets": [{"path": "1"}]}]],
)  # fmt: skip
def test_what_does_not_fit_an_array_names_nothing(tmp_path: Path, bad: Any) -> None:
    folder = image(tmp_path / "i.zarr", multiscales=bad)
    assert [s.dimension for s in look(folder, "/0").sliders] == ["dim_0", "dim_1", "dim_2"]


@pytest.mark.parametrize(
    "bad", [3, [3], steps(0, 0, 0, 0, 0), steps(1, 2), [{"type": "scale", "scale": ["a"] * 5}]]
)
def test_transformations_that_are_none_do_no_harm(tmp_path: Path, bad: Any) -> None:
    scales = {"axes": AXES, "datasets": [{"path": "0", "coordinateTransformations": bad}]}
    folder = image(tmp_path / "i.zarr", multiscales=[scales], omero={"channels": [3]})
    found = look(folder, "/0", {"z": 2})
    assert [(s.dimension, s.label) for s in found.sliders] == [("t", "0"), ("c", "0"), ("z", "2")]
