"""The browser's pictures and matplotlib's show the same: compared pixel for pixel over the data area.

Pixels of maps agree where their colours do, or where both belong to the pattern of the same cell state, whose
hatching lies elsewhere in each. Lines and bars are as wide as their renderer makes them, so theirs agree where
the other has one nearby.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
import zarr
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import Locator, expect

import nz_explorer as nz
from nz_explorer.plots.drawing.view import PATTERNS, faded
from tests.e2e.lab import Explorer, Notebook, OpenNotebook, eventually
from tests.e2e.stores import write_kinds

Pixels = np.ndarray[Any, np.dtype[np.int16]]
Where = np.ndarray[Any, np.dtype[np.bool_]]

NEAR = 12
"""How far apart colours that agree may be, in each of red, green and blue, of 255."""
STRAY = 0.005
"""The part of the pixels that may disagree."""
REACH = 2
"""How many pixels beside each other lines, bars and slanted borders may lie."""
STRIP = 8
"""Pixels at the foot of a line that say which points are missing."""

BOX = "({ offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h }) => [x, y, w, h]"
SMALL = "c => [c.width, ...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
COLOUR = "element => getComputedStyle(element).color.match(/\\d+/g).slice(0, 3).map(Number)"


@dataclass(frozen=True)
class Kind:
    """A picture: what is selected, how it is shown, and how far borders may be apart."""

    name: str
    path: str
    view: dict[str, Any] = field(default_factory=dict)
    reach: int = 0


MAPS = [
    Kind("falling axis", "/map"),
    Kind("limits", "/map", {"low": 0.0, "high": 12.0, "colormap": "turbo"}),
    Kind("logarithm", "/map", {"scale": "log"}),
    Kind("levels", "/map", {"levels": 6, "reverse": True, "limits": "robust"}),
    Kind("window", "/map", {"window": {"lat": [3, 20], "lon": [10, 30]}}),
    Kind("uneven axis", "/uneven"),
    Kind("image", "/image"),
    Kind("bool", "/yes"),
    Kind("categories", "/flags"),
    Kind("phase", "/waves", {"part": "phase"}),
    Kind("packed", "/packed"),
    Kind("curvilinear", "/turned", reach=1),
    Kind("cells", "/cells", reach=1),
    Kind(
        "cells of a part", "/cells", {"window": {"cell_lon": [100, 220], "cell_lat": [-70, 20]}}, 1
    ),
    Kind("rows that lead north", "/turned", {"curvilinear": False}),
    *(Kind(mask, "/states", {"mask": mask}) for mask in ("nz", "storage", "raw", "differences")),
]


@dataclass
class Desk:
    """An explorer in JupyterLab, and one beside it whose figures it is compared with."""

    book: Notebook
    explorer: Explorer
    beside: nz.Explorer

    def show(self, path: str, view: dict[str, Any]) -> None:
        """Select an array, say how it is shown, and wait until it is painted."""
        view = {"coastlines": False, **view}  # thin lines are not the same in the two
        self.beside.path, self.beside.view = path, view
        # going to another array resets what is shown of it: so the view comes last
        self.book.run(f"ex.view = {{}}\nex.path = {path!r}\nex.view = {view!r}")
        expect(self.explorer.selected).to_have_attribute("data-path", path)
        self.explorer.settle()

    def canvas(self) -> Pixels:
        """Return the data area of the picture as the browser has painted it."""
        box = self.explorer.values.evaluate(BOX)
        image = Image.open(io.BytesIO(base64.b64decode(self.explorer.pixels().split(",", 1)[1])))
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(image.convert("RGBA"))
        return cut(paper, *box)

    def svg(self, *area: Locator) -> Pixels:
        """Return that part of the picture in which elements lie, as the browser has painted it."""
        whole = self.explorer.picture.bounding_box() or {}
        boxes = [each.bounding_box() or {} for each in area]
        left, top = min(box["x"] for box in boxes), min(box["y"] for box in boxes)
        right = max(box["x"] + box["width"] for box in boxes)
        bottom = max(box["y"] + box["height"] for box in boxes)
        image = Image.open(io.BytesIO(self.explorer.picture.screenshot()))
        return cut(image, left - whole["x"], top - whole["y"], right - left, bottom - top)

    def figure(self, browser: Pixels) -> Pixels:
        """Return the same data area, in the same size, as matplotlib draws it."""
        return rendered(self.beside.figure(), browser.shape[1], browser.shape[0])


def cut(image: Image.Image, left: float, top: float, width: float, height: float) -> Pixels:
    box = [round(edge) for edge in (left, top, left + width, top + height)]
    return np.asarray(image.convert("RGB").crop((*box,))).astype(np.int16)


def rendered(figure: Figure, width: int, height: int, margin: int = 200) -> Pixels:
    """Draw a figure so that the first of its axes has the given size, and return what is in it."""
    axes = figure.axes[0]
    for other in [*figure.axes[1:], *figure.legends]:
        other.remove()
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_aspect("auto")
    wide, high = width + 2 * margin, height + 2 * margin
    figure.set_layout_engine("none")
    figure.set_dpi(100)
    figure.set_size_inches(wide / 100, high / 100)
    axes.set_position((margin / wide, margin / high, width / wide, height / high))
    figure.canvas.draw()
    drawn = np.asarray(figure.canvas.buffer_rgba())  # type: ignore[attr-defined]
    return drawn[margin : margin + height, margin : margin + width, :3].astype(np.int16)


@pytest.fixture
def desk(notebook: OpenNotebook, tmp_path: Path) -> Desk:
    store = write_kinds(tmp_path / "kinds.zarr")
    book = notebook([f"import nz_explorer as nz\nex = nz.explore({str(store)!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.tree).to_be_visible()
    return Desk(book, explorer, nz.explore(store))


def states_at(pixels: Pixels) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return to the patterns of which states each pixel may belong, as bits."""
    found = np.zeros(pixels.shape[:-1], np.int64)
    for code, (*look, _) in PATTERNS.items():
        for bit, colours in ((code, look), (code + 32, [faded(colour) for colour in look])):
            paper, ink = (np.array(to_rgb(colour)) * 255 for colour in colours)
            part = np.clip((pixels - paper) @ (ink - paper) / ((ink - paper) @ (ink - paper)), 0, 1)
            near = np.abs(pixels - paper - part[..., None] * (ink - paper)).max(axis=-1) <= NEAR
            found |= near.astype(np.int64) << bit
    return found


def same_state(one: Pixels, other: Pixels) -> Where:
    """Return where pixels may belong to the pattern of the same state."""
    same: Where = (states_at(one) & states_at(other)) != 0
    return same


def shifts(pixels: np.ndarray[Any, Any], reach: int) -> list[np.ndarray[Any, Any]]:
    """Return pixels moved by up to so many pixels in all directions."""
    steps = range(-reach, reach + 1)
    return [np.roll(pixels, (down, right), (0, 1)) for down in steps for right in steps]


def map_disagrees(browser: Pixels, figure: Pixels, reach: int) -> float:
    """Return the part of the pixels at which two pictures of a map do not show the same."""
    off = np.ones(browser.shape[:2], np.bool_)
    for moved in shifts(figure, reach):
        off &= np.abs(browser - moved).max(axis=2) > NEAR
    off[off] = ~same_state(browser[off], figure[off])
    return float(off.mean())


def coloured(pixels: Pixels, colour: Sequence[float]) -> Where:
    """Return where a colour is, thinned out by the page at most by half."""
    found: Where = np.abs(pixels - np.asarray(colour)).max(axis=2) < 70
    return found


def apart(one: Where, other: Where) -> float:
    """Return the part of what either has that the other has nowhere near."""
    assert one.any(), "the browser has painted nothing"
    assert other.any(), "matplotlib has drawn nothing"
    alone = [
        (a & ~np.logical_or.reduce(shifts(b, REACH))).sum() / a.sum()
        for a, b in ((one, other), (other, one))
    ]
    return float(max(alone))


def rgb(colour: Any) -> list[float]:
    return [255 * part for part in to_rgb(colour)]


def test_pictures_are_those_of_matplotlib(desk: Desk) -> None:
    wrong = {}
    for kind in MAPS:
        desk.show(kind.path, kind.view)
        found = {}

        def agrees(kind: Kind = kind, found: dict[str, float] = found) -> bool:
            browser = desk.canvas()
            found[kind.name] = map_disagrees(browser, desk.figure(browser), kind.reach)
            return found[kind.name] <= STRAY

        # on a slow machine the tree may have moved on before the picture has been asked for
        if not eventually(desk.book.page, agrees):
            wrong |= found
    assert not wrong

    for view in ({}, {"low": -2.0, "high": 3.0}):
        desk.show("/series", view)
        browser = desk.canvas()
        figure = desk.figure(browser)
        accent = desk.explorer.picture.evaluate(COLOUR)
        assert apart(coloured(browser, accent), coloured(figure, rgb("#1f5fa8"))) <= STRAY
        foot = (slice(2 - STRIP, -2), slice(None))
        assert same_state(browser[foot], figure[foot]).mean() >= 1 - 2 * STRAY

    for log in (False, True):
        desk.show("/map", {"kind": "histogram", "log": log})
        bars = desk.explorer.picture.locator("rect")
        browser = desk.svg(*bars.all())
        accent = bars.first.evaluate(COLOUR.replace("color.", "fill."))
        ours, theirs = coloured(browser, accent), coloured(desk.figure(browser), rgb("#1f5fa8"))
        assert apart(ours, theirs) <= STRAY

    desk.book.run("ex.path = '/stations'")
    desk.beside.path = "/stations"
    desk.explorer.root.get_by_role("radio", name="Lines").click()
    expect(desk.explorer.picture).to_have_attribute("aria-label", re.compile("north"))
    browser = desk.svg(desk.explorer.picture.locator("rect"))
    figure = desk.figure(browser)
    lines = desk.beside.figure().axes[0].lines
    assert len(lines) == 3
    for line in lines:
        colour = rgb(line.get_color())
        assert apart(coloured(browser, colour), coloured(figure, colour)) <= STRAY

    desk.explorer.root.get_by_role("radio", name="Table").click()
    table = desk.explorer.root.get_by_role("table", name="Table of /stations")
    expect(table.locator("td").first).to_be_visible()
    desk.explorer.root.get_by_role("radio", name="Scatter").click()
    desk.beside.view = {"kind": "scatter"}
    drawn = np.isfinite(desk.beside.figure().axes[0].collections[0].get_offsets().filled(np.nan))
    points = desk.explorer.picture.locator("path").first
    expect(points).to_be_visible()
    shown = (points.get_attribute("d") or "").count("h0")
    assert shown == drawn.all(axis=1).sum() > 0


def test_a_small_image_is_in_its_colours(desk: Desk) -> None:
    card = desk.explorer.root.get_by_role("listitem").filter(has_text=re.compile("^image"))
    canvas = card.get_by_role("img", name=re.compile("image"))
    expect(canvas).to_be_visible()
    stored = zarr.open_array(desk.beside.hierarchy.source, path="image", mode="r")[...]
    eventually(desk.book.page, lambda: canvas.evaluate(SMALL)[0] == stored.shape[1])
    painted = np.array(canvas.evaluate(SMALL)[1:]).reshape(*stored.shape[:2], 4)
    np.testing.assert_array_equal(painted[..., :3], stored)


def test_a_map_is_zoomed_and_saved(desk: Desk, tmp_path: Path) -> None:
    page, values = desk.book.page, desk.explorer.values
    desk.show("/map", {})
    box = values.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    reset = desk.explorer.root.get_by_role("button", name="Reset zoom")
    expect(reset).to_be_visible()
    desk.book.until("'lon' in ex.view.get('window', {})")
    # what lay below the pointer still does
    lat, lon = (json.loads(desk.book.run("import json; print(json.dumps(ex.view['window']))"))[name]
                for name in ("lat", "lon"))  # fmt: skip
    assert lat[1] - lat[0] == pytest.approx(0.7 * 31, abs=1)
    assert lon[1] - lon[0] == pytest.approx(0.7 * 41, abs=1)
    assert lat[0] + 0.25 * (lat[1] - lat[0]) == pytest.approx(0.25 * 31, abs=1.5)
    assert lon[0] + 0.75 * (lon[1] - lon[0]) == pytest.approx(0.75 * 41, abs=1.5)

    stored = zarr.open_array(desk.beside.hierarchy.source, path="map", mode="r")[...]
    window = stored[slice(*lat), slice(*lon)]
    for name, ending in (
        ("NumPy array", "npy"),
        ("CSV table", "csv"),
        ("netCDF file", "nc"),
        ("SVG", "svg"),
    ):
        with page.expect_download() as download:
            desk.explorer.root.get_by_role("button", name="Export").click()
            desk.explorer.root.get_by_role("menuitem", name=name).click()
        file = tmp_path / f"saved.{ending}"
        download.value.save_as(file)
        if ending == "npy":
            np.testing.assert_array_equal(np.load(file), window)
        elif ending == "csv":
            saved = np.loadtxt(file, delimiter=",", skiprows=1)[:, 1:]
            np.testing.assert_allclose(saved, window, rtol=1e-6)
        elif ending == "nc":
            with xarray.open_dataset(file) as dataset:
                np.testing.assert_array_equal(dataset["map"], window)
        else:
            assert "<svg" in file.read_text("utf-8")

    values.dblclick(position={"x": 5, "y": 5}, force=True)
    expect(reset).to_have_count(0)
    desk.book.until("not ex.view.get('window')")


def test_a_cell_is_pointed_at_and_pinned(desk: Desk) -> None:
    desk.show("/cells", {})
    box = desk.explorer.values.bounding_box()
    assert box is not None
    west = box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"]
    desk.book.page.mouse.click(*west)
    desk.book.until("len(ex.pins) == 1")
    (pin,) = json.loads(desk.book.run("import json; print(json.dumps(ex.pins))"))
    group = zarr.open_group(desk.beside.hierarchy.source, mode="r")
    lat, lon = (group[name][pin["cell"]] for name in ("cell_lat", "cell_lon"))
    # near 90° W on the equator; cells are six degrees apart
    assert abs(lat) < 6
    assert abs(lon + 90) < 6
    listed = desk.explorer.root.get_by_role("list", name="Pins")
    expect(listed).to_contain_text(re.compile(r"°\s[NS].*°\sW"))
    # by keys to what lies beside it, whatever number that has
    desk.explorer.settle()
    box = desk.explorer.values.bounding_box()
    assert box is not None
    desk.explorer.values.focus()
    desk.book.page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Enter"):
        desk.book.page.keyboard.press(key)
    desk.book.until("len(ex.pins) == 2")
    _, other = json.loads(desk.book.run("print(json.dumps(ex.pins))"))
    north, east = (group[name][other["cell"]] for name in ("cell_lat", "cell_lon"))
    assert (lat < north < lat + 12, lon + 6 < east < lon + 24) == (True, True), (
        lat,
        lon,
        north,
        east,
    )
    desk.book.run("ex.pins = []")


def test_dragging_draws_a_box_and_moves_what_is_shown_in_part(desk: Desk) -> None:
    page, values = desk.book.page, desk.explorer.values

    def drag(start: tuple[float, float], end: tuple[float, float]) -> None:
        desk.explorer.settle()
        box = values.bounding_box()
        assert box is not None
        places = [
            (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)
        ]
        page.mouse.move(*places[0])
        page.mouse.down()
        page.mouse.move(*places[1], steps=6)
        page.mouse.up()

    def shown() -> list[int]:
        window: dict[str, list[int]] = json.loads(
            desk.book.run("import json; print(json.dumps(ex.view['window']))")
        )
        return window["lon"]

    desk.show("/map", {})
    drag((0.1, 0.5), (0.6, 0.98))
    desk.book.until("'lon' in ex.view.get('window', {})")
    before = shown()
    assert before == [pytest.approx(0.1 * 41, abs=1.5), pytest.approx(0.6 * 41, abs=1.5)]

    drag((0.8, 0.5), (0.3, 0.5))
    desk.book.until(f"ex.view['window']['lon'][0] > {before[0]} + 7")
    after = shown()
    assert after[1] - after[0] == before[1] - before[0]
    assert after[0] - before[0] == pytest.approx(0.5 * (before[1] - before[0]), abs=1.5)

    # with Shift a smaller box is drawn
    page.keyboard.down("Shift")
    drag((0.2, 0.2), (0.7, 0.7))
    page.keyboard.up("Shift")
    desk.book.until(f"ex.view['window']['lon'][1] < {after[1]} - 2")
