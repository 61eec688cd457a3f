"""The page is loaded again, opened twice, and cut off from its server for a while: the explorer goes on."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.conftest import Lab
from tests.e2e.lab import IDLE, START_MS, Explorer, Notebook, OpenNotebook

WAIT_MS = 60_000
END = "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()"
BREAK = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel._ws.close()"


def test_a_page_that_is_loaded_again_and_one_beside_it(
    notebook: OpenNotebook, lab: Lab, sample_store: Path
) -> None:
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(sample_store)!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.item("ocean").click()
    expect(explorer.item("salinity")).to_be_visible()
    book.save()

    book.page.reload()
    book.page.wait_for_function(IDLE, timeout=START_MS)
    explorer = Explorer(book.widgets.first)
    explorer.item("forecast").click(timeout=WAIT_MS)
    expect(explorer.item("screen_temperature")).to_be_visible()

    # The connection breaks, and is made again: the click that was on its way is not lost.
    explorer.item("ocean").click()
    book.page.evaluate(BREAK)
    explorer.item("analysis").click(timeout=WAIT_MS)
    expect(explorer.root.get_by_role("tabpanel")).to_contain_text(
        "surface_pressure", timeout=WAIT_MS
    )
    expect(explorer.selected).to_have_attribute("aria-label", "analysis")
    book.until("ex.path == '/analysis'")

    # A second tab on the same kernel: both see the same node, and each its own answers.
    beside = book.page.context.new_page()
    second = Notebook.open(beside, lab.server, lab.folder, book.name)
    other = Explorer(second.widgets.first)
    other.item("stations").click(timeout=WAIT_MS)
    expect(explorer.selected).to_have_attribute("aria-label", "stations")
    for name in ("ocean", "forecast", "analysis"):
        explorer.item(name).click()
        expect(explorer.selected).to_have_attribute("aria-label", name)
        expect(other.selected).to_have_attribute("aria-label", name)
    for one in (explorer, other):
        expect(one.root.get_by_role("alert")).to_have_count(0)
        one.item("screen_temperature").first.click()
        expect(one.picture).to_have_attribute("aria-label", re.compile("screen_temperature"))
    beside.close()


def test_a_notebook_opened_again_without_its_kernel_shows_what_was_saved(
    notebook: OpenNotebook, sample_store: Path
) -> None:
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(sample_store)!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.item("ocean").click()
    explorer.item("sea_surface_temperature").click()
    explorer.slider("time").press("ArrowRight")
    # It is saved as it is when it is left, and goes on all the same.
    book.until("'at time 2025-02-15' in ex._saved_page")
    book.page.wait_for_timeout(500)
    book.save()
    explorer.slider("time").press("ArrowRight")
    expect(explorer.slider("time")).to_have_value("2")
    book.page.evaluate(END)
    book.page.reload()
    page = book.page.get_by_text("Saved by nz_explorer. Run the cell to explore.")
    expect(page).to_be_visible(timeout=WAIT_MS)
    expect(book.page.locator(".jp-OutputArea")).to_contain_text("sea_surface_temperature")
    picture = book.page.get_by_role("img", name=re.compile("at time 2025-02-15"))
    expect(picture).to_be_visible()
    expect(book.page.get_by_text("Error displaying widget")).to_have_count(0)
