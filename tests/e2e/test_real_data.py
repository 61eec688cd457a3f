"""Real data as people have it – through xarray, netCDF-C, plain HTTP and S3 – on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import zarr
from playwright.sync_api import expect

from tests.conftest import S3, HttpServer
from tests.e2e.lab import Explorer, Notebook, OpenNotebook

ARRAYS = {
    "ostia": ("surface_temperature", "time"),
    "e1": ("air_temperature", "time"),
    "nemo": ("tos", None),
    "eraint": ("u", "month"),
}
"""By short name: an array with values, and a dimension that gets a slider."""


def show(book: Notebook, number: int, source: str, options: str = "") -> Explorer:
    """Explore a source in a new cell and return the widget that appears."""
    book.start(f"import nz_explorer as nz\nex = nz.explore({source!r}{options})\nex")
    explorer = Explorer(book.widgets.nth(number))
    expect(explorer.tree).to_be_visible()
    explorer.root.scroll_into_view_if_needed()
    return explorer


@pytest.mark.parametrize("zarr_format", [3, 2])
def test_netcdf_files_through_xarray(
    notebook: OpenNotebook, zarr_from_netcdf: Callable[..., Path], zarr_format: int
) -> None:
    book = notebook([])
    for number, (name, (array, dimension)) in enumerate(ARRAYS.items()):
        explorer = show(book, number, str(zarr_from_netcdf(name, zarr_format)))
        explorer.item(array).click()
        expect(explorer.picture).to_have_attribute("aria-label", re.compile(rf"\b{array}\b"))
        if dimension:
            explorer.settle()
            before = explorer.pixels()
            explorer.slider(dimension).press("ArrowRight")
            explorer.wait_until_repainted(before)
        expect(explorer.root.get_by_role("alert")).to_have_count(0)
        explorer.wait_until_done()
        expect(explorer.root).to_contain_text("NZ-1.0")


def test_stores_of_netcdf_c(notebook: OpenNotebook, nczarr_zip: Callable[[str], Path]) -> None:
    book = notebook([])
    for number, name in enumerate(("v1", "v2", "attributes", "quotes", "unsigned")):
        explorer = show(book, number, str(nczarr_zip(name)))
        items = explorer.tree.get_by_role("treeitem")
        expect(items.nth(1)).to_be_visible()
        items.nth(1).click()
        expect(explorer.root.get_by_role("tab", name="netCDF")).to_be_visible()


def test_what_nothing_lists_is_not_called_empty(
    notebook: OpenNotebook, http_server: Callable[..., HttpServer], tmp_path: Path
) -> None:
    zarr.create_group(tmp_path / "s.zarr").create_group("inside")
    explorer = show(notebook([]), 0, http_server(tmp_path / "s.zarr").url)
    expect(explorer.root).to_contain_text(
        "can be opened by path only. Type a path into the search, such as ocean/temp."
    )
    expect(explorer.root.get_by_text("empty", exact=True)).to_have_count(0)
    explorer.root.get_by_role("searchbox", name="Search").fill("inside")
    explorer.root.get_by_role("option", name="/inside").click()
    expect(explorer.root.get_by_role("heading", name="inside")).to_be_visible()


def test_over_http_and_s3(
    notebook: OpenNotebook, http_server: Callable[..., HttpServer], s3: S3, sample_store: Path
) -> None:
    book = notebook([])
    options = f", storage_options={s3.options!r}"
    sources = [(http_server(sample_store).url, ""), (s3.upload(sample_store), options)]
    for number, (source, more) in enumerate(sources):
        explorer = show(book, number, source, more)
        explorer.item("ocean").click()
        explorer.item("salinity").click()
        expect(explorer.picture).to_have_attribute("aria-label", re.compile("salinity"))
        expect(explorer.root.get_by_role("alert")).to_have_count(0)
