"""Images of OME-Zarr: what the group says of axes, channels and planes is in the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pytest
import zarr
from matplotlib.collections import QuadMesh

import nz_explorer as nz
from nz_explorer.model import Array, open_store
from nz_explorer.plots import QuickLook, make
from nz_explorer.plots.colours.categories import category_colour
from nz_explorer.plots.drawing.pixels import category_colours
from nz_explorer.plots.summaries import object_colour
from nz_explorer.plots.thumbnail import thumbnail
from nz_explorer.widget.background.scans import Scans
from nz_explorer.widget.slice_limits import SliceLimits
from tests.plots.ome_image import AXES, image, steps


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


# --- the plane shown first, limits of colours ------------------------------------------------------


def planes(found: QuickLook) -> dict[str, int]:
    return {slider.dimension: slider.index for slider in found.sliders}


def test_the_plane_that_is_shown_first_is_that_of_the_image(tmp_path: Path) -> None:
    folder = image(tmp_path / "i.zarr")
    assert planes(look(folder, "/0")) == {"t": 1, "c": 0, "z": 3}
    assert planes(look(folder, "/0", {"t": 0, "z": 0})) == {"t": 0, "c": 0, "z": 0}
    assert planes(look(folder, "/1")) == {"t": 1, "c": 0, "z": 1}, "of half as many planes"


@pytest.mark.parametrize(
    "omero", [{}, 3, {"rdefs": 3}, {"rdefs": {"defaultZ": "a", "defaultT": -1}}]
)
def test_the_plane_in_the_middle_is_shown_where_none_is_named(tmp_path: Path, omero: Any) -> None:
    folder = image(tmp_path / "i.zarr", omero=omero)
    assert planes(look(folder, "/0")) == {"t": 0, "c": 0, "z": 3}


def test_a_plane_beyond_the_last_is_the_last(tmp_path: Path) -> None:
    folder = image(tmp_path / "i.zarr", omero={"rdefs": {"defaultZ": 10**30}})
    assert planes(look(folder, "/0")) == {"t": 0, "c": 0, "z": 5}


def test_each_channel_has_the_limits_of_its_window(tmp_path: Path) -> None:
    folder = image(tmp_path / "i.zarr")
    assert look(folder, "/0", {"c": 0}).ranges["held"] == (20, 90)
    assert look(folder, "/0", {"c": 1}).ranges["held"] == (5, 7)
    assert "held" not in look(folder, "/0", x="c").ranges
    assert "held" not in look(folder, "/0", {"c": 1}, reduce={"z": "mean"}).ranges
    for kind in ("line", "histogram"):
        assert "held" not in look(folder, "/0", kind=kind).ranges


def test_windows_of_channels_come_before_the_first_slice_shown(tmp_path: Path) -> None:
    hierarchy = open_store(image(tmp_path / "i.zarr"))
    array = hierarchy["/0"]
    assert isinstance(array, Array)
    limits = SliceLimits(Scans(lambda *_: None), lambda: None)
    held = [limits.known(array, make(hierarchy, array, {"c": c})).ranges["held"] for c in (0, 1, 0)]
    assert held == [(20, 90), (5, 7), (20, 90)]


@pytest.mark.parametrize(
    "window",
    [3, {}, {"start": 5, "end": 5}, {"start": "a", "end": 7}, {"start": 1, "end": 10**400}],
)
def test_windows_that_are_none_limit_nothing(tmp_path: Path, window: Any) -> None:
    folder = image(tmp_path / "i.zarr", omero={"channels": [{"window": window}]})
    assert "held" not in look(folder, "/0", {"c": 0}).ranges


# --- labels ----------------------------------------------------------------------------------------


def labels(
    folder: Path,
    numbers: np.ndarray[Any, Any],
    version: Literal["0.4", "0.5"] = "0.5",
    **given: Any,
) -> Path:
    """Write an image of labels, of which ``image-label`` says what is given."""
    group = zarr.open_group(folder, mode="w", zarr_format=2 if version == "0.4" else 3)
    group = group.create_group("labels/cells")
    group.create_array("0", data=numbers)
    scales = {"axes": AXES[-numbers.ndim :], "datasets": [{"path": "0"}]}
    attributes = {"multiscales": [scales], "image-label": {"source": {"image": "../../"}, **given}}
    group.attrs.update(
        attributes if version == "0.4" else {"ome": {"version": "0.5", **attributes}}
    )
    return folder


@pytest.mark.parametrize("version", ["0.4", "0.5"])
@pytest.mark.parametrize("objects", [3, 12, 4096, 4097])
def test_numbers_of_objects_are_categories(
    tmp_path: Path, version: Literal["0.4", "0.5"], objects: int
) -> None:
    """Those of the ordinary image with as many values are not, and too many have no colours of their own."""
    numbers = (np.arange(70 * 70) % objects).astype("i4").reshape(70, 70)
    found = look(labels(tmp_path / "l.zarr", numbers, version), "/labels/cells/0")
    assert found.kind == "map"
    names = ["background (0)", *map(str, range(1, objects))] if objects <= 4096 else []
    assert [category.label for category in found.categories] == names
    assert len(look(image(tmp_path / "i.zarr"), "/0").categories) == 0


HOSTILE: list[Any] = [
    *(3, None, {}, {"label-value": 7}, {"label-value": "7", "rgba": [1, 2, 3, 4]}),
    *({"label-value": 7, "rgba": rgba} for rgba in (3, [], [1, 2, 3], [1, 2, 3, 256])),
    *({"label-value": 7, "rgba": [1, 2, part, 4]} for part in (-1, 1.5, True, None, "3", 10**400)),
]


def colours_of_program(ex: nz.Explorer) -> Any:
    """Return the colours of the cells of the map that a program draws."""
    plt.close("all")  # figures of others
    exec(ex.code("zarr"), {})
    (drawn,) = (one for one in plt.gcf().axes[0].collections if isinstance(one, QuadMesh))
    plt.close("all")
    return drawn.to_rgba(drawn.get_array())


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_objects_have_the_colours_of_the_metadata_and_the_background_has_none(
    tmp_path: Path, version: Literal["0.4", "0.5"]
) -> None:
    """In the message, the small picture, the figure and the program alike."""
    numbers = np.array([[0, 3, 3, 7], [0, 0, 7, 7], [0, 0, 0, 0]], "u2")
    colours = [*HOSTILE, {"label-value": 3, "rgba": [255, 0, 0, 128]}]
    folder = labels(tmp_path / "l.zarr", numbers, version, colors=colours)
    found = look(folder, "/labels/cells/0")
    assert [(one.value, one.label, one.color) for one in found.categories] == [
        (0, "background (0)", "#00000000"),
        (3, "3", "#ff000080"),
        (7, "7", object_colour(7)),
    ]
    small = thumbnail(found)
    assert small is not None
    own = [round(255 * part) for part in category_colour(7)]
    assert [small[0, at].tolist() for at in (0, 1, 3)] == [[0] * 4, [255, 0, 0, 128], [*own, 255]]

    ex = nz.explore(folder, path="/labels/cells/0")
    program = colours_of_program(ex).reshape(3, 4, 4)
    figure = ex.figure()
    ex.close()
    (image,) = figure.axes[0].images
    for colours in (image.to_rgba(image.get_array()), program):
        assert colours[0, 0, 3] == 0
        np.testing.assert_allclose(colours[0, 1], [1, 0, 0, 128 / 255])
        np.testing.assert_allclose(255 * colours[0, 3], [*own, 255], atol=0.6)


def test_a_background_may_have_a_colour(tmp_path: Path) -> None:
    given = [{"label-value": 0, "rgba": [1, 2, 3, 255]}]
    folder = labels(tmp_path / "l.zarr", np.eye(4, dtype="u1"), colors=given)
    assert look(folder, "/labels/cells/0").categories[0].color == "#010203ff"


@pytest.mark.parametrize("bad", [3, None, [], {"colors": {}}, {"colors": 3}])
def test_what_is_malformed_gives_no_colours(tmp_path: Path, bad: Any) -> None:
    folder = labels(tmp_path / "l.zarr", np.eye(4, dtype="u1"))
    group = zarr.open_group(folder / "labels/cells")
    group.attrs["ome"] = {**group.attrs["ome"], "image-label": bad}
    found = [one.color for one in look(folder, "/labels/cells/0").categories]
    assert found == ["#00000000", object_colour(1)]


def test_programs_compute_the_colours_of_many_objects(tmp_path: Path) -> None:
    given = [{"label-value": 99, "rgba": [255, 0, 0, 255]}]
    numbers = np.arange(100, dtype="i4").reshape(10, 10)
    folder = labels(tmp_path / "l.zarr", numbers, colors=given)
    ex = nz.explore(folder, path="/labels/cells/0")
    colours = colours_of_program(ex).reshape(10, 10, 4)
    expected = category_colours(look(folder, "/labels/cells/0"))[:-1].reshape(10, 10, 4)
    np.testing.assert_allclose(colours, expected, atol=0.003)
    ex.close()


def test_an_object_keeps_its_colour_in_other_slices(tmp_path: Path) -> None:
    """Whichever others are there."""
    numbers = np.zeros((2, 4, 4), "u2")
    numbers[0, 0], numbers[1, 0] = [3, 3, 7, 7], [5, 5, 7, 7]
    folder = labels(tmp_path / "l.zarr", numbers)
    shown = []
    for at in (0, 1):
        found = look(folder, "/labels/cells/0", {"z": at}).categories
        shown.append({one.value: one.color for one in found})
    assert set(shown[0]) == {0, 3, 7}
    assert shown[0][7] == shown[1][7] != shown[0][3]
