"""Images of OME-Zarr in the widget: names of axes are the same wherever an index is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
import zarr

import nz_explorer as nz
from nz_explorer.model import Array, open_store
from nz_explorer.model.dialects.images import image_level, ome
from nz_explorer.netcdf import cdl
from tests.plots.ome_image import SYSTEMS, image
from tests.widget.conftest import SECONDS, Browse
from tests.widget.test_pages import page, said


def test_a_row_names_axes_as_the_sliders_of_its_picture_do(browse: Browse, tmp_path: Path) -> None:
    browser = browse(image(tmp_path / "i.zarr"), walk=False)
    rows = {row["path"]: row for row in browser.ask("children", path="/")["rows"]}
    assert rows["/0"]["dimension_names"] == ["t", "c", "z", "y", "x"]
    look = browser.ask("picture", path="/0", index={"c": 1}, width=50, height=50)
    assert [(slider["dimension"], slider["index"]) for slider in look["sliders"]] == [
        ("t", 1),
        ("c", 1),
        ("z", 3),
    ]
    # one picture for the pyramid, whose lower levels are no other lengths of its dimensions
    root = browser.ask("node", path="/")
    others = {row["role"] for row in root["arrays"] if row["path"] != "/0"}
    assert ([row["path"] for row in root["arrays"] if row["role"] == "data"], others) == (
        ["/0"],
        {"overview"},
    )
    assert "It is an overview: a smaller copy of another array" in said(page(browser, "role", "/1"))
    assert all(len(one["lengths"]) == 1 for one in root["dimensions"])
    assert browser.ask("locate", path="/0", dimension="c", value="DAPI", index=1)["index"] == 0
    assert browser.ask("locate", path="/0", dimension="z", value="2", index=0)["index"] == 4


def test_places_that_are_even_are_no_list_of_numbers_in_programs(tmp_path: Path) -> None:
    ex = nz.explore(image(tmp_path / "i.zarr"), path="/0")
    assert "x = 0.0 + 0.1 * np.arange(4)" in ex.code("zarr").splitlines()
    ex.close()


@pytest.mark.parametrize("version", ["0.4", "0.5", "0.6"])
def test_an_image_is_named_for_what_it_is(
    browse: Browse, tmp_path: Path, version: Literal["0.4", "0.5", "0.6"]
) -> None:
    browser = browse(image(tmp_path / "i.zarr", version))
    about = browser.ask("node", path="/")["about"]
    axes = "t (second), c, z (micrometer), y (micrometer), x (micrometer)"
    assert about == [{"name": "OME-Zarr", "text": f"{version} image with the axes {axes}"}]
    assert f"OME-Zarr {version}" in said(page(browser, "conventions"))


@pytest.mark.parametrize(
    ("member", "given", "named"),
    [
        ("multiscales", [{"name": "cells", "datasets": []}], "cells"),
        ("multiscales", [{"name": "a", "datasets": []}], None),
        ("multiscales", [{"name": "/", "datasets": []}], None),
        ("multiscales", [{"name": 3, "datasets": []}], None),
        ("plate", {"name": "HCS 7", "wells": []}, "HCS 7"),
    ],
)
def test_a_group_is_called_what_its_image_or_plate_is(
    browse: Browse, tmp_path: Path, member: str, given: object, named: str | None
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_group("a", attributes={"ome": {"version": "0.5", member: given}})
    [row] = browse(tmp_path / "s.zarr", walk=False).ask("children", path="/")["rows"]
    assert row["label"] == named


def test_coordinate_systems_of_0_6_name_and_place_the_axes(browse: Browse, tmp_path: Path) -> None:
    older, newer = (open_store(image(tmp_path / v, v)) for v in ("0.5", "0.6"))
    for path in ("/0", "/1"):
        one, other = (image_level(array(store, path)) for store in (older, newer))
        assert one is not None
        assert one == other
    browser = browse(tmp_path / "0.6")
    look = browser.ask("picture", path="/1", index={}, width=50, height=50)
    assert [slider["dimension"] for slider in look["sliders"]] == ["t", "c", "z"]
    assert look["x"]["units"] == "micrometer"


def test_what_is_rotated_has_names_and_no_places(tmp_path: Path) -> None:
    rotated = [{"type": "rotation", "rotation": [[0, 1], [1, 0]], "output": {"name": "stage"}}]
    group = zarr.open_group(tmp_path / "r.zarr", mode="w")
    group.create_array("0", shape=(3, 4), dtype="u1")
    scales: dict[str, Any] = {
        "coordinateSystems": SYSTEMS,
        "datasets": [{"path": "0", "coordinateTransformations": rotated}],
    }
    group.attrs["ome"] = {"version": "0.6", "multiscales": [scales]}
    level = image_level(array(open_store(tmp_path / "r.zarr"), "/0"))
    assert level is not None
    assert (level.names, level.units, level.scale) == (("y", "x"), (None, None), (1, 1))


def array(store: Any, path: str) -> Array:
    found = store[path]
    assert isinstance(found, Array)
    return found


@pytest.mark.parametrize(
    ("attributes", "what"),
    [
        ({"plate": {"version": "0.4", "wells": []}}, ("0.4", "plate")),
        ({"ome": {"version": "0.5", "well": {"images": []}}}, ("0.5", "well")),
        ({"ome": {"version": "0.5", "image-label": {}, "multiscales": []}}, ("0.5", "label image")),
        ({"ome": {"version": "0.6", "scene": {}}}, ("0.6", "scene")),
        ({"bioformats2raw.layout": 3}, (None, "collection of images")),
        ({"ome": {}}, (None, "metadata")),
        ({"ome": 3}, None),
        ({"plate": "of a car"}, None),
        ({"multiscales": {"layout": []}}, None),
        ({"multiscales": [3, None]}, None),
        ({"ome": {"multiscales": [{"coordinateSystems": [3], "datasets": [3]}]}}, (None, "image")),
    ],
)
def test_what_a_group_is_to_ome_zarr(attributes: dict[str, Any], what: Any) -> None:
    found = ome(attributes)
    assert (None if found is None else (found.version, found.kind)) == what


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_places_by_scale_are_coordinates_in_xarray_in_cdl_and_among_the_dimensions(
    browse: Browse, tmp_path: Path, version: Literal["0.4", "0.5"]
) -> None:
    store = image(tmp_path / "i.zarr", version)
    ex = nz.explore(store, path="/0")
    found = ex.to_xarray()
    ex.close()
    assert found.x.values.tolist() == pytest.approx([0.1 * at for at in range(found.x.size)])
    assert (found.x.attrs["units"], found.c.values[0]) == ("micrometer", "DAPI")
    dimensions = said(page(browse(store), "dimensions", "/0"))
    assert "to NZ axis 4 of 0 has no name" in dimensions
    assert "x, described by multiscales in /" in dimensions
    assert "0 … 0.3 ↑  step 0.1   micrometer" in dimensions


def test_named_dimensions_of_an_image_have_their_places_in_cdl(tmp_path: Path) -> None:
    store = image(tmp_path / "i.zarr", "0.5")
    document = store / "0" / "zarr.json"
    meta = json.loads(document.read_text("utf-8"))
    document.write_text(json.dumps({**meta, "dimension_names": list("tczyx")}), "utf-8")
    header = [line.text.strip() for line in cdl(open_store(store).root)]
    assert "x = 4 ; // coordinates 0 … 0.3 micrometer, described by multiscales in /" in header


def test_the_levels_of_an_image_are_called_after_it(browse: Browse, tmp_path: Path) -> None:
    folder = image(tmp_path / "i.zarr", "0.5")
    group = zarr.open_group(folder)
    given: Any = group.attrs["ome"]
    given["multiscales"][0]["name"] = "cells"
    group.attrs["ome"] = given
    browser = browse(folder)
    rows = browser.ask("children", path="/")["rows"]
    assert [row["label"] for row in rows] == ["cells", "cells, level 1"]
    assert browser.ask("picture", path="/1", width=9, height=9)["name"] == "cells, level 1"


def test_what_the_image_names_is_there_without_listing_and_paths_are_typed(
    browse: Browse, tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    store = image(tmp_path / "i.zarr", "0.5")
    there = open_store(http_server(store).url)
    here = open_store(store)
    assert {node.path for node in there.walk()} == {
        node.path
        for node in here.walk()
        if node.path.startswith(("/0", "/1", "/labels")) or node.path == "/"
    }
    plain = zarr.open_group(tmp_path / "p.zarr")
    plain.create_array("a/b", shape=2, dtype="i1")
    browser = browse(http_server(tmp_path / "p.zarr").url)
    assert (
        "opened by path only. Type a path into the search, such as ocean/temp."
        in browser.ask("node", path="/")["row"]["problem"]
    )
    for query in ("a/b", "/a/b"):
        found = browser.ask("search", query=query, limit=10)["rows"]
        assert [row["path"] for row in found] == ["/a/b"]


def test_a_group_that_cannot_be_listed_is_not_said_to_be_empty_on_its_card(
    browse: Browse, tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    root = zarr.open_group(tmp_path / "p.zarr", attributes={"ome": {"bioformats2raw.layout": 3}})
    root.create_group("OME").create_array("unnamed", shape=2, dtype="i1")
    browser = browse(http_server(tmp_path / "p.zarr").url)
    browser.session.wait(SECONDS)
    (card,) = browser.ask("node", path="/")["groups"]
    assert (card["groups"], card["arrays"]) == (0, 0)
    assert "can be opened by path only" in card["row"]["problem"]
