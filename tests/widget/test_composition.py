"""The explorer beside other widgets, and in a notebook that is saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
import traitlets
import zarr

import nz_explorer as nz
from nz_explorer.widget.explorer import Explorer
from nz_explorer.widget.static_page import static_page
from tests.widget.conftest import Browser


@pytest.fixture
def ex(sample_store: Path) -> Any:
    """The sea surface temperature of the sample dataset."""
    explorer = nz.explore(sample_store, path="/ocean/sea_surface_temperature")
    yield explorer
    explorer.close()


def test_it_stands_in_a_box_and_follows_a_slider(ex: Explorer) -> None:
    slider = ipywidgets.IntSlider(max=11)
    box = ipywidgets.HBox([ex, slider])
    assert box.children == (ex, slider)
    traitlets.dlink((slider, "value"), (ex, "index"), lambda at: {"time": at})
    slider.value = 7
    assert ex.index == {"time": 7}
    assert ex.selection["time"] == 7


def test_two_explorers_are_linked(ex: Explorer, broken_store: Path) -> None:
    other = nz.explore(broken_store)
    try:
        traitlets.link((ex, "path"), (other, "path"))
        assert other.path == "/ocean/sea_surface_temperature"
        other.path = "/forecast"
        assert ex.path == "/forecast"
    finally:
        other.close()


def test_the_selection_is_observed_and_linked(ex: Explorer) -> None:
    seen: list[dict[str, Any]] = []
    ex.observe(lambda change: seen.append(change["new"]), "selection")
    label = ipywidgets.Label()
    traitlets.dlink((ex, "selection"), (label, "value"), str)
    ex.index = {"time": 3}
    assert seen[-1]["time"] == 3
    assert ex.to_xarray().isel(seen[-1]).shape == (96, 140)
    ex.view = {"window": {"rlat": [10, 20]}}
    assert seen[-1]["rlat"] == slice(10, 20, 1)
    assert label.value == str(ex.selection)
    ex.view = {"window": {"rlat": [10, 20]}, "colormap": "magma"}  # nothing else is shown
    assert len(seen) == 2
    ex.path = "/ocean"
    assert ex.selection == {}
    with pytest.raises(traitlets.TraitError, match="set those"):
        ex.selection = {"time": 1}


def test_what_a_notebook_saves_does_not_grow_with_the_store() -> None:
    """The state of the widget, of 101 000 nodes, as JupyterLab writes it into the file."""
    store = zarr.storage.MemoryStore(many_nodes(100, 1000))
    ex = nz.explore(store, path="/g050/a0500")
    try:
        ex.bookmarks = [f"/g{number:03d}" for number in range(100)]
        state = ex.get_state()
        state["layout"] = ""  # another widget
        # The code of the front end is the same for every store.
        state.pop("_esm")
        state.pop("_css")
        assert len(json.dumps(state)) < 5_000
        assert len(static_page(ex._session, ex.path)) < 150_000
    finally:
        ex.close()


def test_a_page_of_a_tree_is_small_however_many_nodes_there_are(browse: Any) -> None:
    browser: Browser = browse(zarr.storage.MemoryStore(many_nodes(2, 50_000)), walk=False)
    page = browser.ask("children", path="/g001", offset=49_900, limit=200)
    assert (page["total"], len(page["rows"])) == (50_000, 100)
    assert len(json.dumps(page)) < 100_000
    found = browser.ask("search", query="g001/a4999*")
    assert found["total"] == 0
    found = browser.ask("search", query="g001/a4999")
    assert [row["name"] for row in found["rows"]] == ["a4999", *(f"a4999{n}" for n in range(10))]


def many_nodes(groups: int, arrays: int) -> dict[str, Any]:
    """Return a store with consolidated metadata of this many groups, each with as many arrays."""
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [8],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [8]}},
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": 0,
        "dimension_names": ["x"],
    }
    nodes: dict[str, Any] = {}
    for i in range(groups):
        nodes[f"g{i:03d}"] = {"zarr_format": 3, "node_type": "group"}
        nodes |= {f"g{i:03d}/a{j:04d}": array for j in range(arrays)}
    consolidated = {"kind": "inline", "must_understand": False, "metadata": nodes}
    root = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": consolidated}
    document = zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(
        json.dumps(root).encode()
    )
    return {"zarr.json": document}
