import io
import sys
from dataclasses import replace

import numpy as np
import pytest
import zarr

from nz_explorer.model import open_store
from nz_explorer.quicklook import colormap_tables, figure, make
from nz_explorer.values.states import TITLES


@pytest.fixture
def looks(tmp_path):
    """Quick looks of a small field with every state, and of its coordinate."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    values = np.arange(48.0).reshape(6, 8)
    values[0, 0], values[0, 1], values[0, 2], values[0, 3] = -9, np.nan, np.inf, -np.inf
    values[1, 0] = 0
    values[4:, 4:] = 0
    field = group.create_array(
        "field", data=values, chunks=(2, 4), dimension_names=("y", "x"), fill_value=0.0
    )
    field.attrs.update({"_FillValue": -9.0, "units": "m$s", "long_name": "a $ name"})
    y = group.create_array("y", data=np.arange(0, 60, 10), dimension_names=("y",))
    y.attrs["units"] = "days since 2001-01-01"
    (tmp_path / "store.zarr/field/c/2/0").write_bytes(b"?")
    hierarchy = open_store(tmp_path / "store.zarr")

    def give(path, **options):
        return make(hierarchy, path, **options)

    return give


def drawn(picture):
    file = io.BytesIO()
    picture.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    return picture


def legend(picture):
    return [text.get_text().split("  ")[0] for found in picture.legends for text in found.texts]


def test_a_map_says_what_every_cell_is(looks):
    picture = drawn(figure(looks("/field")))
    assert legend(picture) == [TITLES[code] for code in (1, 2, 3, 4, 5, 6)]
    axes = picture.axes[0]
    assert axes.get_xlabel() == "x (index)"
    assert axes.get_title(loc="left") == "/field"
    assert picture.axes[1].get_ylabel() == r"a \$ name (m\$s)"


@pytest.mark.parametrize(
    ("mask", "present", "gone"), [("storage", 7, 1), ("raw", 2, 1), ("nz", 1, 7)]
)
def test_the_mask_that_was_chosen(looks, mask, present, gone):
    words = legend(drawn(figure(looks("/field"), mask=mask)))
    assert TITLES[present] in words
    assert TITLES[gone] not in words


def test_raw_shows_a_fill_value_as_the_number_it_is(looks):
    picture = figure(looks("/field"), mask="raw")
    assert picture.axes[0].images[-1].norm.vmin == -9
    assert figure(looks("/field")).axes[0].images[-1].norm.vmin == 0


def test_coordinates_grow_upwards_and_rows_downwards(looks):
    look = looks("/field")
    assert look.y.kind == "time"
    bottom, top = figure(look).axes[0].get_ylim()
    assert bottom < top
    plain = replace(look, y=replace(look.y, kind="index", coordinates=None, labels=None))
    bottom, top = figure(plain).axes[0].get_ylim()
    assert (bottom, top) == (5.5, -0.5)
    falling = replace(
        look, y=replace(look.y, coordinates=look.y.coordinates[::-1].copy(), decreasing=True)
    )
    bottom, top = figure(falling).axes[0].get_ylim()
    assert bottom < top


def test_limits_logarithm_and_colours(looks):
    look = looks("/field")
    picture = drawn(figure(look, low=10, high=20, log=True, colormap="magma", grid=True))
    image = picture.axes[0].images[-1]
    assert (image.norm.vmin, image.norm.vmax) == (10, 20)
    assert type(image.norm).__name__ == "LogNorm"
    assert image.get_cmap().name == "magma"
    with pytest.raises(ValueError, match="no colormap"):
        figure(look, colormap="nonsense")
    drawn(figure(look, low=20, high=10, colormap=""))


def test_an_uneven_grid_is_drawn_cell_by_cell(looks):
    look = looks("/field")
    uneven = np.array([0.0, 1, 3, 7, 8, 20])
    picture = drawn(figure(replace(look, y=replace(look.y, kind="number", coordinates=uneven))))
    assert picture.axes[0].get_ylim() == (-0.5, 26)
    extreme = np.array([0.0, 1e-9, 3, 7, 8, 20])
    axis = replace(look.y, kind="number", coordinates=extreme, labels=None)
    picture = drawn(figure(replace(look, y=axis)))
    assert [text.get_text() for text in picture.axes[0].get_yticklabels()][-1] == "20"


def test_a_line(looks):
    look = looks("/y")
    picture = drawn(figure(look))
    assert picture.axes[0].lines[0].get_ydata().tolist() == look.values.tolist()
    drawn(figure(look, log=True, low=1))
    gaps = replace(look, cell_states=np.array([0, 1, 0, 1, 1, 0], np.uint8))
    picture = drawn(figure(gaps))
    assert len(picture.axes[0].patches) == 2
    assert np.isnan(picture.axes[0].lines[0].get_ydata()[[1, 3, 4]]).all()
    nothing = replace(look, cell_states=np.full(6, 5, np.uint8), low=None, high=None)
    drawn(figure(nothing))


def test_what_is_no_picture_is_written(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    group.create_array("scalar", data=np.array(1.5))
    names = group.create_array("text", shape=(2,), dtype="string")
    names[:] = np.array(["$x_{", "\x00b"], dtype=object)
    group.create_array("empty", shape=(0,), dtype="f4", chunks=(1,))
    hierarchy = open_store(tmp_path / "s.zarr")
    for name, words in [("scalar", "1.5"), ("text", r"0  \$x_{"), ("empty", "holds no values")]:
        picture = drawn(figure(make(hierarchy, f"/{name}")))
        assert words in picture.axes[0].texts[0].get_text()


def test_one_value_has_colours_too(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    rows = [[0.0], [5.0], [-1e300], [1e-300], [1e308], [-1.7e308, 1.7e308], [1e-308, 1e308]]
    for number, row in enumerate(rows):
        values = np.array([row * 3] * 3)
        group.create_array(f"a{number}", data=values, fill_value=77.0)
        look = make(open_store(tmp_path / "s.zarr"), f"/a{number}")
        drawn(figure(look))
        drawn(figure(look, log=True))


def test_pyplot_is_not_used(looks):
    figure(looks("/field"))
    assert "matplotlib.pyplot" not in sys.modules


def test_colormaps():
    import matplotlib as mpl

    names, tables = colormap_tables()
    assert names[0] == "viridis"
    assert tables.shape == (len(names), 256, 3)
    assert tables.dtype == np.uint8
    for name, table in zip(names, tables, strict=True):
        expected = mpl.colormaps[name](np.linspace(0, 1, 256))[:, :3]
        assert np.abs(table / 255 - expected).max() < 0.01
