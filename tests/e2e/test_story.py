"""A person opens a notebook, runs it and explores: the story of the first version."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from nz_explorer.lab.launcher import example_notebook, run_first_cell
from tests.e2e.conftest import Lab
from tests.e2e.lab import Explorer, Notebook, OpenNotebook


def explore(source: Path | str) -> str:
    return f"import nz_explorer as nz\n\nex = nz.explore({str(source)!r})\nex"


@pytest.fixture
def opened(notebook: OpenNotebook, sample_store: Path) -> tuple[Notebook, Explorer]:
    """The sample dataset in an explorer, as it looks after running the first cell."""
    book = notebook([explore(sample_store)])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.tree).to_be_visible()
    return book, explorer


def test_open_expand_select_slide(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    for group in ("analysis", "forecast", "ocean", "stations"):
        expect(explorer.item(group)).to_be_visible()

    explorer.item("ocean").click()
    expect(explorer.item("ocean")).to_have_attribute("aria-expanded", "true")
    expect(explorer.item("sea_surface_temperature")).to_be_visible()

    explorer.item("sea_surface_temperature").click()
    expect(explorer.selected).to_have_attribute("aria-label", "sea_surface_temperature")
    expect(explorer.tab("Plot")).to_have_attribute("aria-selected", "true")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("sea_surface_temperature"))
    book.until("ex.path == '/ocean/sea_surface_temperature'")

    explorer.settle()
    before, label = explorer.pixels(), explorer.picture.get_attribute("aria-label")
    slider = explorer.slider("time")
    slider.focus()
    slider.press("ArrowRight")
    expect(explorer.picture).not_to_have_attribute("aria-label", label or "")
    explorer.wait_until_repainted(before)
    book.until("ex.index['time'] == 1")


def test_what_python_selects_the_widget_shows(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    book.run('ex.path = "/forecast/screen_temperature"')
    expect(explorer.selected).to_have_attribute("aria-label", "screen_temperature")
    expect(explorer.item("forecast")).to_have_attribute("aria-expanded", "true")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("screen_temperature"))
    explorer.settle()
    before = explorer.pixels()
    book.run('ex.index = {"time": 9}')
    expect(explorer.slider("time")).to_have_value("9")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile(r"2026-01-03.*06"))
    explorer.wait_until_repainted(before)


def test_every_tab_works_for_a_group_and_for_an_array(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    for path in ("/ocean", "/ocean/sea_surface_temperature"):
        book.run(f"ex.path = {path!r}")
        expect(explorer.selected).to_have_attribute("data-path", path)
        table = explorer.show("Dimensions").get_by_role("table", name="Dimensions")
        expect(table.get_by_role("row").filter(has_text="time").first).to_be_visible()
        expect(explorer.show("Findings")).not_to_be_empty()
        expect(explorer.show("Metadata")).to_contain_text('"zarr_format": 3')
        expect(explorer.show("netCDF")).to_contain_text("sea_surface_temperature")
        expect(explorer.show("Code")).to_contain_text("import zarr")
        expect(explorer.show("Plot").get_by_role("img").first).to_be_visible()
        expect(explorer.root.get_by_role("alert")).to_have_count(0)


def test_a_finding_is_read_in_the_broken_store(notebook: OpenNotebook, broken_store: Path) -> None:
    book = notebook([explore(broken_store)])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.wait_until_done()
    expect(explorer.status).to_contain_text(re.compile(r"[1-9]\d* errors"))
    explorer.item("forecast").click()
    panel = explorer.show("Findings")
    item = panel.get_by_role("list", name="Findings").get_by_role("listitem")
    conflict = item.filter(has_text="NZ-DIM-010").first
    expect(conflict).to_contain_text("lat")
    expect(conflict).to_contain_text("73")
    expect(conflict).to_contain_text("72")


def test_a_truncated_document_says_so_and_the_rest_goes_on(
    notebook: OpenNotebook, sample_copy: Path
) -> None:
    root = sample_copy / "zarr.json"
    meta = json.loads(root.read_text("utf-8"))
    del meta["consolidated_metadata"]  # else the broken document would not be read first
    root.write_text(json.dumps(meta), "utf-8")
    document = sample_copy / "forecast" / "u_wind" / "zarr.json"
    document.write_text(document.read_text("utf-8")[:300], "utf-8")
    book = notebook([explore(sample_copy)])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.item("forecast").click()
    explorer.item("u_wind").click()
    expect(explorer.root.get_by_role("alert")).to_contain_text("zarr.json")
    explorer.item("v_wind").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("v_wind"))
    expect(explorer.root.get_by_role("alert")).to_have_count(0)


def test_an_unknown_codec_is_named_where_the_picture_would_be(
    notebook: OpenNotebook, broken_store: Path
) -> None:
    book = notebook([explore(broken_store)])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    book.run('ex.path = "/analysis/snow"')
    expect(explorer.selected).to_have_attribute("data-path", "/analysis/snow")
    expect(explorer.root.get_by_role("tabpanel")).to_contain_text("wavelet9")


def test_the_tree_works_by_keyboard(opened: tuple[Notebook, Explorer]) -> None:
    _, explorer = opened
    expect(
        explorer.item("forecast")
    ).to_be_visible()  # only what has been read is found by its name
    explorer.tree.focus()
    explorer.tree.press("Home")
    explorer.tree.press("f")  # type-ahead
    explorer.tree.press("ArrowRight")
    expect(explorer.item("forecast")).to_have_attribute("aria-expanded", "true")
    expect(explorer.item("v_wind")).to_be_visible()
    explorer.tree.press("ArrowRight")
    explorer.tree.press("Enter")
    expect(explorer.selected).to_have_attribute("data-path", re.compile(r"^/forecast/"))
    explorer.tree.press("ArrowLeft")
    explorer.tree.press("ArrowLeft")
    expect(explorer.item("forecast")).to_have_attribute("aria-expanded", "false")


def test_keys_belong_to_the_widget(opened: tuple[Notebook, Explorer]) -> None:
    """In JupyterLab's command mode "d d" deletes a cell and arrows walk through the notebook."""
    book, explorer = opened
    explorer.item("stations").click()
    for key in ("d", "d", "z", "x", "a", "ArrowDown", "ArrowRight"):
        explorer.tree.press(key)
    assert book.page.evaluate("jupyterapp.shell.currentWidget.content.model.cells.length") == 1
    expect(explorer.tree).to_be_visible()


def test_search_finds_and_selects(opened: tuple[Notebook, Explorer]) -> None:
    _, explorer = opened
    explorer.wait_until_done()
    box = explorer.root.get_by_role("searchbox", name="Search")
    box.fill("salin")
    explorer.root.get_by_text("salinity").first.click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("salinity"))


def test_the_widget_answers_while_a_cell_is_busy(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    busy = book.start(
        "import threading\nrelease = threading.Event()\n"
        "assert release.wait(60), 'nobody released the cell'"
    )
    explorer.item("forecast").click()
    explorer.item("screen_temperature").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("screen_temperature"))
    slider = explorer.slider("time")
    slider.focus()
    label = explorer.picture.get_attribute("aria-label")
    slider.press("ArrowRight")
    expect(explorer.picture).not_to_have_attribute("aria-label", label or "")
    assert book.is_running(busy)
    book.page.evaluate("() => jupyterapp.commands.execute('notebook:interrupt-kernel')")
    with pytest.raises(AssertionError, match="KeyboardInterrupt"):
        book.finish(busy)


def test_a_restarted_kernel_is_noticed(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    explorer.wait_until_done()
    places = "list(__import__('platformdirs').user_state_path('nz_explorer').glob('places/*.json'))"
    book.run(f"[one.unlink() for one in {places}]")  # those of other notebooks
    explorer.item("forecast").click()
    book.until(f"any('/forecast' in one.read_text() for one in {places})")
    book.restart_kernel()
    # JupyterLab says that the connection is gone; without that it would be 20 s, as a kernel may be busy.
    expect(explorer.status).to_contain_text("No answer from the kernel", timeout=10_000)
    # The cell run again comes back to where it was.
    book.run_all()
    again = Explorer(book.widgets.first)
    expect(again.selected).to_have_attribute("data-path", "/forecast")


def test_two_views_of_one_explorer_agree(opened: tuple[Notebook, Explorer]) -> None:
    book, explorer = opened
    book.start("ex")
    second = Explorer(book.widgets.nth(1))
    expect(second.tree).to_be_visible()
    explorer.item("stations").click()
    expect(second.selected).to_have_attribute("aria-label", "stations")


def test_the_saved_notebook_has_a_page_without_a_kernel(
    notebook: OpenNotebook, broken_store: Path
) -> None:
    book = notebook([explore(broken_store)])
    book.run_all()
    saved: Any = book.save()
    (output,) = (item for item in saved["cells"][0]["outputs"] if "data" in item)
    page = "".join(output["data"]["text/html"])
    for word in ("forecast", "precipitation", "NZ-DIM-010", "<table"):
        assert word in page
    assert "<script" not in page
    assert len(page) < 1_000_000


def test_a_source_that_is_none_gives_a_sentence(notebook: OpenNotebook, tmp_path: Path) -> None:
    book = notebook([explore(tmp_path / "nothing-here")])
    try:
        book.run_all()
    except AssertionError as error:
        # Either the call says it …
        said = str(error)
        assert "nothing-here" in said
    else:
        # … or the widget does.
        expect(book.widgets.first.get_by_role("alert")).to_contain_text("nothing-here")


def test_the_example_notebook_is_alive_when_it_is_opened(lab: Lab, page: Page) -> None:
    name = "explore.ipynb"
    (lab.folder / name).write_bytes(example_notebook().read_bytes())
    run_first_cell(lab.server, name)
    book = Notebook.open(page, lab.server, lab.folder, name)
    explorer = Explorer(book.widgets.first)
    expect(explorer.item("sea_surface_temperature")).to_be_visible()
    assert book.page.locator(".nzx").first.bounding_box()["y"] < 400, "seen without scrolling"
    expect(explorer.root.get_by_role("button", name="xarray: no problem found")).to_be_visible()
    explorer.item("months").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("months"))
    book.run_all()
    expect(book.widgets).to_have_count(2)
    expect(page.locator("body")).to_contain_text("since 1993, by 0.28 K in ten years")
