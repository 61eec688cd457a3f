"""The widget where it is not JupyterLab that shows it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, expect

import nz_explorer as nz
from tests.conftest import REPOSITORY, HttpServer
from tests.e2e.conftest import Lab
from tests.e2e.lab import START_MS, Explorer, Notebook, write_notebook

APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import nz_explorer as nz

    ex = nz.explore({source!r})
    widget = mo.ui.anywidget(ex)
    widget
    return mo, widget


@app.cell
def _(mo, widget):
    mo.md("selected " + widget.value["path"])
    return
"""


def look_around(explorer: Explorer) -> None:
    """Open a group, draw an array of it and move along its time."""
    expect(explorer.tree).to_be_visible(timeout=START_MS)
    explorer.item("ocean").click()
    explorer.item("sea_surface_temperature").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("sea_surface_temperature"))
    label = explorer.picture.get_attribute("aria-label")
    explorer.slider("time").press("ArrowRight")
    expect(explorer.picture).not_to_have_attribute("aria-label", label or "")


def test_notebook_7(lab: Lab, page: Page, sample_store: Path) -> None:
    name = "notebook7.ipynb"
    write_notebook(
        lab.folder / name, [f"import nz_explorer as nz; ex = nz.explore({str(sample_store)!r}); ex"]
    )
    book = Notebook.open(page, lab.server, lab.folder, name, where="notebooks")
    book.run_all()
    look_around(Explorer(book.widgets.first))
    book.until("ex.path == '/ocean/sea_surface_temperature' and dict(ex.index) == {'time': 1}")


def test_without_a_notebook(lab: Lab, page: Page, sample_store: Path, data: Path) -> None:
    """From the file browser: a folder by its menu, a netCDF file by a double click, and a notebook of the view."""
    shutil.copytree(sample_store, lab.folder / "forecast")
    shutil.copy(data / "netcdf" / "ostia_monthly.nc", lab.folder)
    page.goto(lab.server.lab_url("").replace("lab/tree/", "lab"))
    page.get_by_role("tab", name=re.compile("File Browser")).click(timeout=START_MS)
    files = page.locator(".jp-DirListing-item")
    card = page.locator(".jp-LauncherCard").filter(has_text="Zarr Explorer")
    missing = card.locator("svg path").last
    assert missing.evaluate("one => getComputedStyle(one).fill") == "none"
    card.click()
    field = page.get_by_label("Path or address of a Zarr hierarchy or a netCDF file")
    assert field.evaluate("one => one.clientWidth > 350")  # an address is to be seen
    page.get_by_role("button", name="Cancel").click()
    files.filter(has_text="forecast").click(button="right")
    page.get_by_role("menuitem", name="Explore Zarr").click()
    look_around(Explorer(page.locator(".nzx").first))
    page.get_by_text("Create notebook from this view").click()
    program = page.locator(".jp-Notebook .cm-content").first
    expect(program).to_contain_text("nz.explore('forecast', path='/ocean/sea_surface_temperature'")
    files.filter(has_text="ostia_monthly.nc").dblclick()
    opened = Explorer(page.locator(".nzx").last)
    expect(opened.item("surface_temperature")).to_be_visible(timeout=START_MS)


def test_a_saved_page(
    page: Page, sample_store: Path, tmp_path: Path, http_server: Callable[..., HttpServer]
) -> None:
    ex = nz.explore(sample_store, path="/ocean/sea_surface_temperature")
    ex.index = {"time": 2}
    ex.save(tmp_path / "page.html")
    ex.close()
    page.goto(f"{http_server(tmp_path).url}/page.html")
    explorer = Explorer(page.locator(".nzx").first)
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("sea_surface_temperature"))
    explorer.tab("Dimensions").click()
    expect(page.get_by_role("table", name="Dimensions")).to_contain_text("rlat")
    page.get_by_role("searchbox").fill("salinity")
    expect(page.get_by_text("1 node", exact=True)).to_be_visible()


@pytest.fixture
def marimo(sample_store: Path, tmp_path: Path) -> Iterator[str]:
    """Serve an app with the explorer in it; yields its address."""
    file = tmp_path / "app.py"
    file.write_text(APP.format(source=str(sample_store)), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", str(file), "--headless", "--no-token"]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_CONFIG_HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


def test_marimo(marimo: str, page: Page) -> None:
    answered(page, marimo)
    with page.expect_request(lambda asked: "marimo-session-id" in asked.headers) as asked:
        page.goto(marimo)
        look_around(Explorer(page.locator(".nzx").first))
    expect(page.locator("body")).to_contain_text("selected /ocean/sea_surface_temperature")
    exported = page.request.post(
        f"{marimo}/api/export/html",
        headers={k: v for k, v in asked.value.headers.items() if k.startswith("marimo-")},
        data={"download": False, "files": [], "includeCode": True, "assetUrl": marimo},
    )
    page.route(f"{marimo}/exported.html", lambda route: route.fulfill(response=exported))
    page.goto(f"{marimo}/exported.html")
    saved = page.frame_locator(".nzx iframe")
    expect(saved.get_by_role("cell", name="/forecast/temperature", exact=True)).to_be_visible()


def answered(page: Page, address: str) -> None:
    """Wait until a server that has just been started answers."""
    for _ in range(300):
        try:
            page.request.get(address)
        except PlaywrightError:
            page.wait_for_timeout(100)
        else:
            return
    pytest.fail(f"{address} does not answer")
