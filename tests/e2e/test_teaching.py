"""The teacher's story: a lesson is opened, clicked through and answered, with what is on the screen."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from nz_explorer.lab.launcher import run_first_cell
from tests.e2e.conftest import Lab
from tests.e2e.lab import Explorer, Notebook
from tests.notebooks import NOTEBOOKS, SOLUTION, read


def test_the_lesson_is_taught(lab: Lab, page: Page) -> None:
    """On a small screen, as in a classroom; other stories have a large one."""
    page.set_viewport_size({"width": 1000, "height": 700})
    name = "teach.ipynb"
    (lab.folder / name).write_bytes((NOTEBOOKS / name).read_bytes())
    run_first_cell(lab.server, name)
    book = Notebook.open(page, lab.server, lab.folder, name)
    explorer = Explorer(book.widgets.first)
    expect(explorer.item("ocean")).to_be_visible()
    _documents(explorer)
    _coordinate(explorer)
    _fill_lab(explorer)
    _glossary(explorer)
    _exercise(book, page)


def _documents(explorer: Explorer) -> None:
    """CDL and document light each other up: by the pointer one way, by keyboard the other."""
    explorer.item("ocean").click()
    panel = explorer.show("netCDF")
    cdl = panel.get_by_role("region", name="CDL")
    cdl.get_by_text("latitude(rlat").hover()
    document = panel.get_by_role("region", name="Document ocean/latitude/zarr.json")
    expect(document).to_contain_text("latitude")
    expect(panel).to_contain_text("/data_type")
    explorer.item("depth").click()
    document = panel.get_by_role("region", name="Document ocean/depth/zarr.json")
    expect(document).to_be_visible()
    line = document.locator("[data-line]").filter(has_text='"positive"')
    document.focus()
    for _ in range(int(line.get_attribute("data-line") or 0)):
        document.press("ArrowDown")
    expect(cdl.locator("[data-line]").filter(has_text="depth:positive")).to_be_visible()
    expect(panel.locator("[aria-live]").last).to_contain_text("/attributes/positive")


def _coordinate(explorer: Explorer) -> None:
    """Why depth is a coordinate, and latitude is none."""
    panel = explorer.show("netCDF")
    panel.get_by_role("heading", name="Role").get_by_role("button").click()
    expect(panel).to_contain_text("Why is this a dimension coordinate?")
    tests = panel.get_by_role("table", name="Tests")
    expect(tests.get_by_text("✓ yes")).to_have_count(5)
    expect(tests).to_contain_text("from 0.5 to 2500.0")
    explorer.item("latitude").click()
    expect(panel).to_contain_text("Why is this not a dimension coordinate?")
    expect(tests).to_contain_text("shape [96, 140]: 2 dimensions")


def _fill_lab(explorer: Explorer) -> None:
    """One array interpreted in four ways; xarray says itself why it cannot read it."""
    explorer.item("sea_surface_temperature").click()
    panel = explorer.show("netCDF")
    panel.get_by_role("button", name="Missing values", exact=True).click()
    for title in ("As stored", "As NZ masks it", "By fill_value", "As xarray reads it"):
        expect(panel.get_by_role("heading", name=title)).to_be_visible()
    expect(panel.get_by_role("img", name=re.compile("^By fill_value: 1 of"))).to_be_visible()
    expect(panel).to_contain_text("Failed to decode fill_value")
    explorer.item("analysis").click()
    panel.get_by_role("table", name="Fill values").get_by_role(
        "button", name="surface_pressure", exact=True
    ).click()
    expect(explorer.selected).to_have_attribute("data-path", "/analysis/surface_pressure")
    expect(panel.get_by_role("img", name=re.compile("^As xarray reads it: 82 of"))).to_be_visible()


def _glossary(explorer: Explorer) -> None:
    """A word leads to the very line that shows it."""
    panel = explorer.root.get_by_role("tabpanel")
    panel.get_by_role("button", name="Glossary", exact=True).click()
    panel.get_by_role("button", name="surface_pressure: -32768").click()
    expect(explorer.tab("Metadata")).to_have_attribute("aria-selected", "true")
    line = panel.locator("[data-line]").filter(has_text='"_FillValue": -32768')
    expect(line).to_be_in_viewport()


def _exercise(book: Notebook, page: Page) -> None:
    """An answer is typed into its cell; run as it is, the cell asks for one."""
    book.run_all()
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cell = cells.filter(has_text="sharing = ").first
    cell.scroll_into_view_if_needed()
    expect(cell).to_contain_text("Replace the three dots")
    (solution,) = (
        found[1]
        for one in read("teach.ipynb").cells
        if one.id == "solution-1" and (found := SOLUTION.search(one.source))
    )
    editor = cell.locator(".cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(solution)
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-OutputArea")).to_contain_text("✓ Yes.")
