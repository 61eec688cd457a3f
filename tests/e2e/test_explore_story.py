"""Someone who has never seen the dataset finds a way about, with what is on the screen."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.lab import Explorer, OpenNotebook, eventually


def test_from_the_first_look_to_the_number_that_was_wanted(
    notebook: OpenNotebook, sample_store: Path
) -> None:
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(sample_store)!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.wait_until_done()
    root = explorer.root

    # What is in it? The root says which groups there are, and what they measure along.
    overview = explorer.show("Dimensions").get_by_role("row")
    expect(overview.filter(has_text="/ocean")).to_contain_text("rlat (96)")
    overview.get_by_role("button", name="/ocean").click()
    expect(explorer.selected).to_have_attribute("data-path", "/ocean")
    times = root.get_by_role("table", name="Dimensions").get_by_role("row").filter(has_text="time")
    expect(times.first).to_contain_text("2025-01-16 … 2025-12-16 ↑")

    # What does it look like? The pictures of the group lead to an array.
    gallery = explorer.show("Plot")
    gallery.get_by_role("button", name=re.compile("salinity")).first.click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("salinity"))
    root.get_by_role("button", name="Bookmark", exact=True).click()

    # How is it stored? All chunks are there, and compressed.
    explorer.show("Metadata")
    root.get_by_role("button", name="Storage", exact=True).click()
    expect(root.get_by_role("tabpanel")).to_contain_text(
        re.compile(r"The store has (\d+) of \1 chunks\.")
    )
    expect(root.get_by_role("img", name=re.compile("Filled squares"))).to_be_visible()

    # Where else is a temperature in Kelvin? The search knows attributes.
    box = root.get_by_role("searchbox", name="Search")
    box.fill("temperature attr:units=K")
    results = root.get_by_role("listbox", name="Search results").get_by_role("option")
    results.filter(has_text="/forecast/screen_temperature").click()
    box.press("Escape")
    explorer.show("Plot")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("screen_temperature"))

    # And the one before? Back, and by the bookmark.
    root.get_by_role("button", name="Back").click()
    expect(explorer.selected).to_have_attribute("data-path", "/ocean/salinity")
    root.get_by_role("button", name="Forward").click()
    expect(explorer.selected).to_have_attribute("data-path", "/forecast/screen_temperature")
    root.get_by_role("button", name="bookmarks", exact=True).click()
    results.filter(has_text="/ocean/salinity").click()
    box.press("Escape")

    # The number that was wanted goes on in Python.
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("salinity"))
    explorer.slider("depth").press("End")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("2500"))
    book.until("ex.selection['depth'] == 7")
    shown = book.run("round(float(ex.to_xarray().isel(ex.selection).mean()), 1)")
    assert 30 < float(shown) < 40


WATCH = """canvas => {
  const seen = { frames: 0, blank: 0, pale: 0 };
  const look = () => {
    // one more frame may come after the watch is over
    if (window.nzWatched !== seen) return;
    const { width, height } = canvas;
    const shown = canvas.isConnected && width * height > 0;
    const dots = shown ? canvas.getContext('2d').getImageData(0, 0, width, height).data : [];
    const stage = canvas.closest('.nzx-stage');
    let opacity = 1;
    for (let at = canvas; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    seen.frames++;
    seen.blank += !dots.some((value, at) => at % 4 === 3 && value > 0);
    // a picture that is late pales on purpose
    seen.pale += opacity < 1 && !stage.classList.contains('nzx-stale');
    requestAnimationFrame(look);
  };
  window.nzWatched = seen;
  requestAnimationFrame(look);
}"""
"""Looks at a canvas in every frame: whether anything is on it, and whether it is as strong as it should be."""


def test_beside_a_slider_of_ipywidgets(notebook: OpenNotebook, sample_store: Path) -> None:
    """A slider of one's own moves the picture, and the tab that was left is as it was."""
    source = str(sample_store)
    cell = f"""
import ipywidgets, traitlets
import nz_explorer as nz

ex = nz.explore({source!r}, path="/ocean/sea_surface_temperature")
month = ipywidgets.IntSlider(max=11, description="month")
traitlets.dlink((month, "value"), (ex, "index"), lambda at: {{"time": at}})
ipywidgets.VBox([month, ex])
"""
    book = notebook([cell])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("2025-01-16"))
    # From one picture to the next nothing is blank or pale.
    explorer.settle()
    explorer.root.locator("canvas").first.evaluate(WATCH)
    for month in range(2, 6):
        explorer.slider("time").press("ArrowRight")
        expect(explorer.picture).to_have_attribute("aria-label", re.compile(f"2025-0{month}"))
    explorer.settle()
    watched = book.page.evaluate("() => { const seen = nzWatched; nzWatched = null; return seen; }")
    assert watched["frames"] > 0
    assert (watched["blank"], watched["pale"]) == (0, 0), watched
    book.until("ex.index['time'] == 4")
    book.tell("month.value = 7")
    expect(explorer.slider("time")).to_have_value("7")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("2025-08"))

    # Another tab of JupyterLab in front, and back.
    explorer.settle()
    before = explorer.pixels()
    book.page.evaluate("() => jupyterapp.commands.execute('launcher:create')")
    expect(explorer.root).to_be_hidden()
    book.page.get_by_role("tab", name=re.compile(re.escape(book.name))).first.click()
    expect(explorer.root).to_be_visible()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("2025-08"))
    assert eventually(book.page, lambda: explorer.pixels() == before)
