"""Every tab and drawer at the sizes that people have: nothing is cut off or covered, the picture and its slider are seen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import zarr
from playwright.sync_api import Page, expect

from nz_explorer.widget.explorer import PANELS
from tests.e2e.lab import Explorer, OpenNotebook, eventually
from tests.e2e.test_everyone import SETTLED, THEME

SIZES = ((1440, 900), (1120, 640), (1000, 700), (900, 620), (760, 600), (660, 560))
NAMES = (
    "a_dimension_with_a_name_that_is_long",
    "ensemble_member",
    "forecast_reference_time",
    "level",
    "quantile",
    "wave_number",
    "latitude",
    "longitude",
)
PROBLEMS = (Path(__file__).parent / "layout.js").read_text("utf-8")
"""What is cut off, covered, or seen only by scrolling sideways."""
LAYOUT = """() => {
    const root = document.querySelector(".nzx");
    root.scrollIntoView({ block: "end" });  // JupyterLab may have moved it since
    const box = selector => root.querySelector(selector)?.getBoundingClientRect();
    const rows = element => new Set([...element.children].map(child => child.getBoundingClientRect())
        .filter(({ width }) => width > 0).map(({ top, height }) => Math.round((top + height / 2) / 12))).size;
    const fits = element => element.scrollWidth <= element.clientWidth + 1;
    const toolbar = root.querySelector("[role=toolbar]");
    const foot = root.querySelector("[aria-label='What was read']");
    const [canvas, slider] = [box("canvas"), box("input[type=range]")];
    return {
        toolbar: rows(toolbar) === 1 && fits(toolbar),
        foot: rows(foot) === 1 && fits(foot),
        apart: canvas.bottom <= slider.top + 1,
        together: canvas.top >= 0 && slider.bottom <= innerHeight,
        drawn: canvas.height >= 100,
    };
}"""

BELOW_ITS_CELL = """() => {
    const root = document.querySelector(".nzx");
    let panel = root.parentElement;
    while (!/auto|scroll/.test(getComputedStyle(panel).overflowY) || panel.scrollHeight <= panel.clientHeight)
        if (!(panel = panel.parentElement)) return true;  // all of it is seen
    panel.scrollTop = 0;
    const slider = root.querySelector("input[type=range]").getBoundingClientRect();
    return slider.bottom <= panel.getBoundingClientRect().bottom;
}"""


BESIDE = """() => {
    const [aside, canvas] = ["aside", "canvas"].map(name =>
        document.querySelector(`.nzx ${name}`)?.getBoundingClientRect());
    return Boolean(aside) && aside.left >= canvas.right && aside.top <= canvas.top;
}"""


GROUP = "/a_group_with_a_name_that_is_longer_than_what_fits_here"
ARRAY = f"{GROUP}/an_array_with_a_name_that_is_longer_than_what_fits_here"
TWELVE = """
import nz_explorer.diagnosis.impact as impact

impact.READERS = ("xarray", "zarr-python", "netCDF-C", *(f"reader with a long name {n}" for n in range(9)))
"""


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """An array of eight dimensions in a group, all with long names and long units; one length is in conflict."""
    root = zarr.open_group(
        tmp_path / "a_store_with_a_name_that_is_longer_than_what_fits.zarr",
        mode="w",
        attributes={
            "title": "A title that nobody reads to its end, least of all on a small screen " * 2
        },
    )
    group = root.create_group(GROUP[1:])
    array = group.create_array(
        ARRAY.rpartition("/")[2],
        shape=(3, 4, 5, 6, 7, 8, 30, 40),
        chunks=(1, 1, 1, 1, 1, 1, 30, 40),
        dtype="f4",
        dimension_names=NAMES,
        attributes={
            "units": "kg m-2 s-1 (mol mol-1)-1 per square degree of longitude",
            "long_name": "A long name that goes on for a while after one would expect it to stop",
            "_FillValue": -999.0,
        },
    )
    array[0, 0, 0, 0, 0, 0] = np.arange(1200).reshape(30, 40)
    for name, length in zip(NAMES, array.shape, strict=True):
        about = {
            "units": "a unit of measurement that is rather long",
            "long_name": f"The long name of {name}",
        }
        group.create_array(
            name, shape=(length,), dtype="f8", dimension_names=(name,), attributes=about
        )[...] = np.arange(length) * 1234.56789
    group.create_array("other", shape=(31, 40), dtype="f4", dimension_names=NAMES[-2:])
    group.create_group("another_group_with_a_name_that_is_longer_than_what_fits_here")
    return Path(str(root.store_path.store.root))  # type: ignore[attr-defined]


GOOD = dict.fromkeys(("toolbar", "foot", "apart", "together", "drawn"), True)


def problems(page: Page, path: str, panel: str) -> list[str]:
    """Return what is wrong with what is shown, once it has come to rest."""
    found: list[str] = []
    for _ in range(20):
        found = page.evaluate(PROBLEMS)
        if path == ARRAY and panel == "plot":
            layout: dict[str, bool] = page.evaluate(LAYOUT)
            found += [name for name, good in layout.items() if not good]
        if not found:
            break
        page.wait_for_timeout(100)
    return found


def test_nothing_is_cut_off_or_covered(notebook: OpenNotebook, crowded: Path) -> None:
    """With long names and units, eight dimensions and twelve readers; every tab and drawer, light and dark."""
    source = str(crowded)
    book = notebook([f"{TWELVE}\nimport nz_explorer as nz\n\nex = nz.explore({source!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.tree).to_be_visible()
    explorer.wait_until_done()
    wrong: dict[str, list[str]] = {}
    # Colours change no measure, so in the dark one size is enough.
    sizes = {
        ("light", GROUP): SIZES[::2],
        ("light", ARRAY): SIZES,
        ("dark", GROUP): SIZES[1:2],
        ("dark", ARRAY): SIZES[5:],
    }
    for theme in ("light", "dark"):
        book.page.evaluate(THEME, theme)
        expect(explorer.root).to_have_attribute("data-scheme", theme)
        for path in (GROUP, ARRAY):
            for panel in PANELS:
                book.tell(f"ex.path, ex.panel = {path!r}, {panel!r}")
                book.page.wait_for_function(SETTLED)
                for width, height in sizes[theme, path]:
                    book.page.set_viewport_size({"width": width, "height": height})
                    if found := problems(book.page, path, panel):
                        wrong[f"{theme} {panel} of {path[-5:]} at {width} × {height}"] = found
    assert wrong == {}


def test_the_picture_and_its_slider_are_seen_together(
    notebook: OpenNotebook, sample_store: Path
) -> None:
    source, path = str(sample_store), "/ocean/sea_surface_temperature"
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({source!r}, path={path!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.root.get_by_role("slider").first).to_be_visible()
    for width, height in SIZES:
        book.page.set_viewport_size({"width": width, "height": height})
        eventually(book.page, lambda: book.page.evaluate(LAYOUT) == GOOD)
        assert book.page.evaluate(LAYOUT) == GOOD, f"{width} × {height}"
        assert book.page.evaluate(PROBLEMS) == [], f"{width} × {height}"
    # The cell above leaves room for both: nobody has to scroll first.
    for width, height in ((1440, 900), (1000, 700)):
        book.page.set_viewport_size({"width": width, "height": height})
        eventually(book.page, lambda: book.page.evaluate(BELOW_ITS_CELL))
        assert book.page.evaluate(BELOW_ITS_CELL), f"{width} × {height}"
    # Statistics open beside the map, not below what has to be scrolled to.
    explorer.root.get_by_role("button", name="Statistics", exact=True).click()
    for width, height in ((1440, 900), (1000, 700)):
        book.page.set_viewport_size({"width": width, "height": height})
        eventually(book.page, lambda: book.page.evaluate(BESIDE))
        assert book.page.evaluate(BESIDE), f"{width} × {height}"
        eventually(book.page, lambda: not book.page.evaluate(PROBLEMS))
        assert book.page.evaluate(PROBLEMS) == [], f"{width} × {height}"


def test_what_opens_beside_the_map_shows_all_of_its_numbers(
    notebook: OpenNotebook, tmp_path: Path
) -> None:
    """States have long names: in statistics no digit and no unit is cut, and of a pin the coordinates stay readable."""
    root = zarr.create_group(tmp_path / "wind.zarr")
    raw = np.random.default_rng(1).integers(-400, 2500, (2, 30, 40)).astype("i2")
    raw[:, :5, :5], raw[:, 10:20, 15:25] = -32767, 9000
    about = {"units": "m s-1", "scale_factor": -0.03, "add_offset": 62.0}
    about |= {"valid_range": [-500, 2600], "_FillValue": -32767}
    names = ("time", "lat", "lon")
    root.create_array("wind", data=raw, dimension_names=names, attributes=about)
    for name, units in (("lat", "degrees_north"), ("lon", "degrees_east")):
        values = np.linspace(-30, 30, 30) if name == "lat" else np.linspace(100, 170, 40)
        root.create_array(name, data=values, dimension_names=(name,), attributes={"units": units})
    source = str(tmp_path / "wind.zarr")
    pins = [{"lat": 13, "lon": 17}, {"lat": 3, "lon": 31}]
    opened = f"ex = nz.explore({source!r}, path='/wind')\nex.pins = {pins!r}\nex"
    book = notebook([f"import nz_explorer as nz\n\n{opened}"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    beside = explorer.root.locator("aside")
    expect(beside.get_by_role("listitem").first).to_contain_text("outside valid range")
    statistics = explorer.root.get_by_role("button", name="Statistics", exact=True)
    for width, height in ((1440, 900), (1000, 700)):
        book.page.set_viewport_size({"width": width, "height": height})
        for content in ("pins", "statistics"):
            eventually(book.page, lambda: not book.page.evaluate(PROBLEMS))
            assert book.page.evaluate(PROBLEMS) == [], f"{content} at {width} × {height}"
            if content == "pins":
                # Two lines are enough for where a pin is.
                places = beside.locator("li > span:nth-child(2)")
                assert all(place.evaluate("one => one.offsetHeight") < 40 for place in places.all())
                # The tree gives way to the map, and the foot says the mean before what was read.
                assert explorer.values.evaluate("one => one.offsetWidth") > 150
                foot = explorer.root.get_by_role("group", name="What was read")
                of = foot.bounding_box()
                mean = foot.get_by_text(re.compile("^mean")).bounding_box()
                assert of is not None and mean is not None  # noqa: PT018
                assert mean["y"] + mean["height"] < of["y"] + of["height"]
                statistics.click()
                expect(beside.get_by_role("table").last).to_contain_text("outside valid range")
        explorer.root.get_by_role("button", name="Pins", exact=True).click()
        expect(beside.get_by_role("listitem").first).to_be_visible()


def test_a_drawer_stands_beside_the_picture_where_there_is_room(
    notebook: OpenNotebook, sample_store: Path
) -> None:
    source, path = str(sample_store), "/ocean/sea_surface_temperature"
    opened = f"nz.explore({source!r}, path={path!r})\nex.panel = 'readers'"
    book = notebook([f"import nz_explorer as nz\n\nex = {opened}\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    picture, drawer = (
        explorer.root.get_by_role("img", name="map of"),
        explorer.root.get_by_role("dialog"),
    )

    def beside() -> bool:
        left, right = picture.bounding_box(), drawer.bounding_box()
        return bool(left and right) and left["x"] + left["width"] <= right["x"]

    expect(picture).to_be_visible()
    for width, apart in ((1440, True), (1000, False)):
        book.page.set_viewport_size({"width": width, "height": 900})
        eventually(book.page, lambda apart=apart: beside() == apart)
        assert beside() == apart, width
