"""Pages: what Python composes for the panels, and what their buttons do."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import zarr
from matplotlib.image import imread

import nz_explorer as nz
from nz_explorer.conventions import rules
from nz_explorer.report.store_diff import compare
from nz_explorer.values.reading import chunk_presence
from nz_explorer.widget.panels.registry import PAGES
from nz_explorer.widget.static_page import static_page
from nz_explorer.widget.text import on_screen
from tests.corpus.cases import contents, write
from tests.versions import not_with_the_oldest
from tests.widget.conftest import SECONDS, Browse, Browser

NEEDS_MORE = {"finding"}
"""Pages that are about more than a node."""
WHOLE = {"conventions", "edits", "glossary", "readers", "report"}
"""Pages that say the same whichever node is selected."""


def blocks(found: Any, kind: str) -> Iterator[dict[str, Any]]:
    """Yield all blocks of a kind, also those inside of others."""
    if isinstance(found, list):
        for one in found:
            yield from blocks(one, kind)
    elif isinstance(found, dict):
        if found.get("type") == kind:
            yield found
        for value in found.values():
            yield from blocks(value, kind)


def said(found: Any) -> str:
    """Return all text of a page, or of a part of it."""
    if isinstance(found, str):
        return found
    if isinstance(found, dict):
        keys = ("text", "title", "label", "items", "rows", "cells", "columns", "blocks", "actions")
        return " ".join(said(found[key]) for key in keys if key in found)
    return " ".join(said(one) for one in found) if isinstance(found, list) else ""


def links(found: Any) -> Iterator[dict[str, Any]]:
    """Yield the ways to nodes."""
    if isinstance(found, list):
        for one in found:
            yield from links(one)
    elif isinstance(found, dict):
        if found.get("path"):
            yield found
        for value in found.values():
            yield from links(value)


def page(browser: Browser, name: str, path: str = "/", **params: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = browser.ask("page", name=name, path=path, params=params)[
        "blocks"
    ]
    return result


def finding(browser: Browser, rule: str) -> dict[str, Any]:
    found = browser.ask("findings", path="/")["findings"]
    return next(one for one in found if one["rule"] == rule)


@pytest.mark.parametrize(
    ("step", "shown"),
    [(1, "step 1 hour, since 2000-01-01"), (6, "step 6 hours, since 2000-01-01")],
)
def test_a_step_of_times_has_their_unit(
    browse: Browse, tmp_path: Path, step: int, shown: str
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr", attributes={"conventions": "NZ-1.0"})
    units = {"units": "hours since 2000-01-01"}
    group.create_array(
        "time", data=np.arange(4) * step, dimension_names=("time",), attributes=units
    )
    assert shown in " ".join(said(page(browse(tmp_path / "s.zarr"), "dimensions")).split())


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "1,024 of 1,234,567 chunks, 2,000.",
            "1\u202f024 of 1\u202f234\u202f567 chunks, 2\u202f000.",
        ),
        ('the list [1,234] and "1,000" stand as they are', None),
        ("v1,234 is a name, 1,2345 and 1,23 are no numbers", None),
    ],
)
def test_large_numbers_of_sentences_are_grouped_as_those_of_pages(
    sentence: str, shown: str | None
) -> None:
    assert on_screen(sentence) == (shown or sentence)


def test_the_page_of_a_finding_is_found_by_the_message_that_was_shown(
    browse: Browse, tmp_path: Path
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr", attributes={"conventions": "NZ-1.0"})
    group.create_array("a", shape=(200_000,), chunks=(2,), dtype="f8", dimension_names=("x",))
    browser = browse(tmp_path / "s.zarr")
    shown = browser.ask("findings", path="/a", below=True)["findings"]
    (many,) = [one for one in shown if "100\u202f000 chunks" in one["message"]]
    assert "chunks" in said(explain(browser, many))


def explain(browser: Browser, found: dict[str, Any]) -> list[dict[str, Any]]:
    params = {key: found[key] for key in ("rule", "pointer", "message")}
    return page(browser, "finding", found["path"], **params)


def test_nz_masks_nothing_by_the_fill_value_of_v2(browse: Browse, tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=2)
    array = root.create_array("x", shape=(3,), dtype="float32", fill_value=-1)
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    array[:] = [-1, 1, 2]
    browser = browse(tmp_path / "s.zarr")
    lab = said(page(browser, "fill", "/x"))
    assert "As NZ masks it: 0 of 3 missing" in lab
    assert "As xarray reads it: 1 of 3 missing, 1 otherwise than to NZ" in lab
    assert "Because it passes every test" in said(page(browser, "role", "/x"))
    assert finding(browser, "Z2-FV-008")["path"] == "/x"


def test_the_mark_of_cf_is_masked_by_xarray_alone_and_leaves_the_colours_to_the_others(
    browse: Browse, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=3)
    array = root.create_array(
        "x", shape=(2, 3), dtype="float32", fill_value=0, dimension_names=["y", "x"]
    )
    array.attrs["missing_value"] = -9999
    array[:] = [[-9999, 1, 2], [3, 4, 5]]
    lab = page(browse(tmp_path / "s.zarr"), "fill", "/x")
    assert "As NZ masks it: 0 of 6 missing" in said(lab)
    assert "As xarray reads it: 1 of 6 missing" in said(lab)
    assert "is CF's mark, which xarray masks too" in said(lab)
    picture = next(iter(blocks(lab, "picture")))
    image = imread(io.BytesIO(base64.b64decode(picture["src"].partition(",")[2])))
    assert len(np.unique(image.reshape(-1, image.shape[-1]), axis=0)) >= 5


def test_a_dimension_is_said_to_have_the_coordinate_that_a_tree_inherits(
    browse: Browse, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=3)
    root.create_array("x", data=np.array([1.0, 2]), dimension_names=["x"])
    root.create_group("a").create_array("v", data=np.ones(2), dimension_names=["x"])
    shown = said(page(browse(tmp_path / "s.zarr"), "dimensions", "/a"))
    assert "shown with /x, which xarray's DataTree inherits from the group above" in shown


def _with_cs(folder: Path) -> zarr.Group:
    """Make an array whose coordinates are in its metadata, and one in a group."""
    root = zarr.create_group(folder, attributes={"conventions": "NZ-1.0", "title": "a grid"})
    regular = {"values": {"regular": [10, 2]}, "unit": "degrees"}
    sets = [
        {**regular, "name": "new", "boundaries": {"regular": [-1, 1]}},
        {**regular, "name": "old", "unit": "m"},
    ]
    axis = {"name": "x", "abbreviation": "X", "direction": "east", "coordinates": sets}
    crs = {"name": "WGS84", "id": {"proj:code": "EPSG:4326"}, "axes": [axis]}
    array = root.create_array("a", shape=(3,), dtype="int16", dimension_names=["x"], fill_value=0)
    array.update_attributes({"_FillValue": -1, "cs": {"crs": [crs]}})
    root.create_group("g").create_array("b", shape=(1,), dtype="f4", dimension_names=["z"])
    return root


def test_what_cs_describes_is_shown(browse: Browse, tmp_path: Path) -> None:
    _with_cs(tmp_path / "s.zarr")
    browser = browse(tmp_path / "s.zarr")
    shown = said(page(browser, "dimensions", "/a"))
    assert "axis X, east, cells from −1 to +1, in WGS84 EPSG:4326" in shown
    assert "new, described by cs in /a: axis X" in shown
    assert "also old: 10 … 14 m" in shown
    shown = said(page(browser, "conventions", "/a"))
    assert "x, new 10 … 14 degrees" in shown
    assert "x, old 10 … 14 m" in shown
    saved = static_page(browser.session, "/a")
    assert "axis X, east, cells from −1 to +1, in WGS84 EPSG:4326; also old: 10 … 14 m" in saved


@pytest.mark.parametrize("values", [{"explicit": []}, {"regular": [10, 2]}])
def test_coordinates_of_a_dimension_without_elements_are_shown(
    values: dict[str, Any], browse: Browse, tmp_path: Path
) -> None:
    axis = {"name": "x", "direction": "east", "coordinates": [{"unit": "m", "values": values}]}
    attributes = {"cs": {"crs": [{"axes": [axis]}]}}
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_array("a", shape=(0,), dtype="i2", dimension_names=["x"], attributes=attributes)
    session = browse(tmp_path / "s.zarr")
    assert "described by cs in /a" in said(page(session, "dimensions", "/a"))
    shown = page(session, "conventions", "/a")
    assert "no values" in said(shown)
    (conventions,) = (one for one in blocks(shown, "table") if one["label"] == "Conventions")
    named = {row["cells"][0][0]: row["cells"][2] for row in conventions["rows"]}
    assert named["Zarr v3"] == ["The format. "]
    assert "axes are a list and have a direction" in named["cs r1; the newest is r4"][-1]


@pytest.mark.parametrize("part", ["values", "boundaries"])
def test_an_integer_that_no_float_holds_does_not_end_a_page(
    part: str, browse: Browse, tmp_path: Path
) -> None:
    one = {"unit": "m", "values": {"regular": [0, 1]}, part: {"regular": [-1, 10**400]}}
    attributes = {"cs": {"crs": [{"axes": [{"name": "x", "coordinates": [one]}]}]}}
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_array("a", shape=(3,), dtype="i2", dimension_names=["x"], attributes=attributes)
    session = browse(tmp_path / "s.zarr")
    assert "x" in said(page(session, "dimensions", "/a"))
    assert "cs" in said(page(session, "conventions", "/a"))


def test_thousands_are_separated_as_the_front_end_does(browse: Browse, tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_array("a", shape=(1536,), chunks=(1,), dtype="i2", dimension_names=["x"])
    shown = said(page(browse(tmp_path / "s.zarr"), "storage", "/a"))
    assert "1\u202f536" in shown
    assert "1,536" not in shown


@pytest.mark.parametrize("path", ["/", "/a"])
def test_a_saved_page_separates_thousands_in_one_way(
    path: str, browse: Browse, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr", attributes={"conventions": "NZ-1.0"})
    root.create_array("a", shape=(86050, 2), dtype="i2", dimension_names=["row", "x"])
    root.create_array("row", shape=(86050,), dtype="i4", dimension_names=["row"])
    shown = static_page(browse(tmp_path / "s.zarr").session, path)
    shown = re.sub(r'src="[^"]*"', "", shown)
    assert shown.count("86\u202f050") > 2
    assert re.search(r"86,?050", shown) is None


def test_a_fill_value_has_the_type_of_its_array(browse: Browse, tmp_path: Path) -> None:
    _with_cs(tmp_path / "s.zarr")
    assert "_FillValue  int16" in said(page(browse(tmp_path / "s.zarr"), "about", "/a"))


def test_a_fill_value_in_the_base64_of_xarray_is_said_as_a_number(
    browse: Browse, tmp_path: Path
) -> None:
    coded = {"_FillValue": "AAAAgB2vFUQ="}
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_array("a", shape=(2,), dtype="f4", dimension_names=["x"], attributes=coded)
    shown = said(page(browse(tmp_path / "s.zarr"), "about", "/a"))
    assert '"AAAAgB2vFUQ=" is 1e+20' in " ".join(shown.split())


def test_fields_keep_their_shapes_and_lengths_are_text_wherever_they_are_shown(
    browse: Browse, tmp_path: Path
) -> None:
    document = {
        "zarr_format": 2,
        "shape": [8605],
        "chunks": [8605],
        "order": "C",
        "dtype": [["a", "<f4"], ["b", "<i2", [2]]],
        "fill_value": None,
        "compressor": None,
        "filters": None,
    }
    (tmp_path / "s.zarr" / "s").mkdir(parents=True)
    (tmp_path / "s.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / "s.zarr" / "s" / ".zarray").write_text(json.dumps(document))
    (tmp_path / "s.zarr" / "s" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["n"]}')
    browser = browse(tmp_path / "s.zarr")
    fields = "struct {a: float32, b: int16[2]}"
    (row,) = browser.ask("children", path="/")["rows"]
    assert fields in str(row)
    assert fields in said(page(browser, "storage", "/s"))
    assert fields in finding(browser, "Z2-OGC-004")["message"]
    ex = nz.explore(tmp_path / "s.zarr")
    bundle = ex._repr_mimebundle_()
    ex.close()
    shown = (bundle[0] if isinstance(bundle, tuple) else bundle)["text/html"]
    assert f"{fields} (n 8\u202f605)" in shown
    assert "\\u" not in shown


def test_the_concepts_of_the_root_are_those_of_the_whole_dataset(
    browse: Browse, tmp_path: Path
) -> None:
    _with_cs(tmp_path / "s.zarr")
    (table,) = blocks(page(browse(tmp_path / "s.zarr"), "concepts"), "table")
    rows = {said(row["cells"][0]): said(row["cells"][2]) for row in table["rows"]}
    (own,) = (rows[name] for name in rows if name.startswith("global"))
    assert own.split() == ["conventions", ",", "title"]
    assert any(where.split() == ["a", ",", "b"] for where in rows.values())


@pytest.mark.parametrize("name", sorted(set(PAGES) - NEEDS_MORE))
def test_every_node_of_a_broken_store_has_every_page(
    browse: Browse, broken_store: Path, name: str
) -> None:
    browser = browse(broken_store)
    paths = ["/"]
    for path in paths:
        page(browser, name, path)
        if name not in WHOLE:
            paths += [row["path"] for row in browser.ask("children", path=path)["rows"]]
    assert (len(paths) > 40) == (name not in WHOLE)


def test_every_finding_is_explained_and_its_links_lead_somewhere(
    browse: Browse, broken_store: Path
) -> None:
    browser = browse(broken_store)
    diffs = 0
    for found in browser.ask("findings", path="/")["findings"]:
        shown = explain(browser, found)
        assert rules()[found["rule"]].rationale in said(shown)
        assert found["path"] in {link["path"] for link in links(shown)}
        codes = list(blocks(shown, "code"))
        assert all(code["text"] for code in codes), found
        changed = {line["kind"] for code in codes for line in code["lines"]}
        diffs += not changed.isdisjoint(("add", "remove"))
        for code in codes:
            assert not code["lines"] or len(code["lines"]) == len(code["text"].split("\n"))
        assert ("does not label it" in said(shown)) == found["level"].endswith("*")
    assert diffs > 3


def test_a_finding_that_is_gone_says_so(browse: Browse, sample_store: Path) -> None:
    params = {"rule": "NZ-DIM-010", "pointer": "", "message": "?"}
    error = browse(sample_store).refused("page", name="finding", path="/", params=params)
    assert (error["code"], error["message"]) == ("bad_request", "NZ-DIM-010 at / is gone")


@pytest.mark.parametrize(
    "index", [[], 1, "x", {"time": []}, {"time": "1"}, {"time": 1e400}, {"time": None}]
)
def test_an_index_that_is_none_is_refused(browse: Browse, sample_store: Path, index: Any) -> None:
    params = {"index": index}
    error = browse(sample_store).refused(
        "page", name="fill", path="/forecast/height", params=params
    )
    assert error["code"] == "bad_request"
    assert "index must be an object of integers" in error["message"]


def test_open_questions_are_counted_and_no_findings_are_no_conformance(
    browse: Browse, sample_store: Path, broken_store: Path
) -> None:
    browser = browse(broken_store)
    shown = page(browser, "open questions", below=True)
    assert f"Not evaluated: {browser.session.summary().not_evaluated}" in said(shown)
    clean = page(browse(sample_store), "open questions", "/ocean/latitude", below=False)
    assert "No findings." in said(clean)


def test_the_dimension_table_has_values_conflicts_and_reasons(
    browse: Browse, broken_store: Path
) -> None:
    (table,) = blocks(page(browse(broken_store), "dimensions", "/forecast"), "table")
    rows = {said(row["cells"][0]).split()[0]: row for row in table["rows"]}
    assert rows["lat"]["tone"] == "error"
    assert {"72", "73"} <= set(said(rows["lat"]["cells"][1]).split())
    assert "coordinate" in said(rows["lon"]["cells"][2])
    assert "…" in said(rows["lon"]["cells"][3])


def test_what_a_dimension_table_leaves_out_is_counted(browse: Browse, tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "many.zarr", mode="w")
    for number in range(25):
        group.create_array(f"v{number}", data=np.zeros(2), dimension_names=["x"])
    group.create_array("one", data=np.array([5.0]), dimension_names=["one"])
    for number in range(15):
        group.create_array(f"w{number}", data=np.zeros(3), dimension_names=["x"])
    browser = browse(tmp_path / "many.zarr")
    (table,) = blocks(page(browser, "dimensions"), "table")
    rows = {said(row["cells"][0]).split()[0]: row["cells"] for row in table["rows"]}
    assert "and 20 more" in said(rows["x"][4])
    assert {"and 15 more", "and 5 more"} <= set(re.findall(r"and \d+ more", said(rows["x"][1])))
    browser.session.wait()
    (table,) = blocks(page(browser, "dimensions", "/one"), "table")
    assert said(table["rows"][0]["cells"][3]).strip() == "5"


def test_an_array_shows_its_own_dimensions_in_its_own_order(
    browse: Browse, sample_store: Path
) -> None:
    found = page(browse(sample_store), "dimensions", "/forecast/temperature")
    (table,) = blocks(found, "table")
    assert [row["cells"][0][0] for row in table["rows"]] == ["time", "level", "lat", "lon"]


def test_a_time_coordinate_is_shown_as_dates(browse: Browse, sample_store: Path) -> None:
    (table,) = blocks(page(browse(sample_store), "dimensions", "/ocean/time"), "table")
    assert "2025-01-16 … 2025-12-16 ↑" in said(table["rows"][0]["cells"][3])


def test_auxiliary_coordinates_stand_with_their_dimensions(
    browse: Browse, sample_store: Path
) -> None:
    browser = browse(sample_store)
    for path in ("/ocean", "/ocean/salinity"):
        (table,) = blocks(page(browser, "dimensions", path), "table")
        cells = {said(row["cells"][0]): row["cells"][4] for row in table["rows"]}
        users = said(cells["rlat"]).split()
        assert users[:5] == ["latitude", "(auxiliary)", "longitude", "(auxiliary)", "rlat"]
        assert "auxiliary" not in said(cells["depth"])


def test_a_group_of_groups_lists_their_dimensions(browse: Browse, sample_store: Path) -> None:
    (table,) = blocks(page(browse(sample_store), "dimensions", "/"), "table")
    rows = {said(row["cells"][0]).strip(): said(row["cells"][1]) for row in table["rows"]}
    assert "rlat (96)" in rows["/ocean"]


def test_attributes_of_many_parts_are_folded(browse: Browse, tmp_path: Path) -> None:
    nested = {"bounds": list(range(100)), "crs": {"epsg": 4326}}
    zarr.open_group(tmp_path / "s", mode="w").attrs.update({"deep": nested, "short": [1, 2]})
    found = page(browse(tmp_path / "s"), "about")
    (table, *_) = blocks(found, "table")
    deep, short = table["rows"]
    assert "2 members" in said(deep["cells"])
    (members,) = deep["inside"]
    rows = {said(row["cells"][0]).strip(): row for row in members["rows"]}
    assert "object" in said(rows["crs"]["cells"])
    (code,) = rows["bounds"]["inside"]
    assert json.loads(code["text"]) == nested["bounds"]
    assert "[1, 2]" in said(short["cells"])
    assert not short["inside"]


@pytest.fixture
def chunky(tmp_path: Path) -> Path:
    """An array of 4 × 5 chunks of which three are there, one that is sharded, and a scalar."""
    root = zarr.open_group(tmp_path / "chunky.zarr", mode="w")
    some = root.create_array(
        "some", shape=(40, 45), chunks=(10, 10), dtype="f4", dimension_names=("y", "x")
    )
    some[:20, :10] = 1
    some[30:, 40:] = 2
    sharded = root.create_array("sharded", shape=(40,), chunks=(5,), shards=(20,), dtype="u1")
    sharded[:20] = 1
    root.create_array("scalar", shape=(), dtype="f8")[...] = 1.0
    return tmp_path / "chunky.zarr"


def test_storage_says_which_chunks_are_there(browse: Browse, chunky: Path) -> None:
    browser = browse(chunky)
    found = page(browser, "storage", "/some")
    text = said(found)
    assert "20 chunks of 400 bytes decoded" in text
    assert "The store has 3 of 20 chunks;" in text
    grid, codecs = blocks(found, "table")
    assert [said(row["cells"]) for row in grid["rows"]] == ["y 40 10 4 full", "x 45 10 5 5 long"]
    assert "compresses" in said(codecs)
    taken = sum(
        file.stat().st_size for file in (chunky / "some" / "c").rglob("*") if file.is_file()
    )
    assert f"They take {taken} bytes" in text
    (picture,) = blocks(found, "picture")
    assert {"x, 5 chunks", "y, 4"} <= set(re.findall(r"[xy], \d(?: chunks)?", picture["label"]))
    pixels = imread(io.BytesIO(base64.b64decode(picture["src"].partition(",")[2])))
    side = pixels.shape[0] // 4
    filled = pixels[side // 2 :: side, side // 2 :: side, 3] > 0.9
    assert [tuple(at) for at in np.argwhere(filled)] == [(0, 0), (1, 0), (3, 4)]


def test_storage_of_shards_scalars_and_groups(browse: Browse, chunky: Path) -> None:
    browser = browse(chunky)
    text = said(page(browser, "storage", "/sharded"))
    assert "8 inner chunks of 5 bytes decoded, in 2 shards" in text
    assert "The store has 1 of 2 shards;" in text
    assert not list(blocks(page(browser, "storage", "/scalar"), "picture"))
    (table,) = blocks(page(browser, "storage", "/"), "table")
    assert [said(row["cells"][0]).strip() for row in table["rows"]] == ["scalar", "sharded", "some"]


def test_storage_never_lists_a_million_chunks(
    browse: Browse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chunk_presence.MOST_NAMES < 1_000_000
    monkeypatch.setattr(chunk_presence, "MOST_NAMES", 500)
    root = zarr.open_group(tmp_path / "s", mode="w")
    root.create_array("a", shape=(6000, 1000), chunks=(1, 1), dtype="u1")[3, 4] = 1
    folder = tmp_path / "s" / "a" / "c"
    for row in range(5500):
        (folder / str(row)).mkdir(exist_ok=True)
    found = page(browse(tmp_path / "s"), "storage", "/a")
    assert "too many chunks to list them" in said(found)


def test_all_values_are_read_when_somebody_wants_to_know(browse: Browse, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "s", mode="w", zarr_format=2)
    array = root.create_array("a", data=np.arange(4.0), fill_value=0.0)
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    browser = browse(tmp_path / "s")

    def offered() -> list[str]:
        found = page(browser, "open questions", "/a", below=True)
        return [one["name"] for block in blocks(found, "actions") for one in block["actions"]]

    def found() -> list[str]:
        return [one["rule"] for one in browser.ask("findings", path="/a")["findings"]]

    assert offered() == ["read contents"]
    assert not found()
    (button,) = (
        one
        for block in blocks(page(browser, "open questions", "/a", below=True), "actions")
        for one in block["actions"]
    )
    assert button["label"] == "Read all values (32 bytes)"
    with browser.session.walker.reading_again():
        browser.session.base.read_contents()
        assert offered() == ["stop reading"]
    browser.ask("act", name="stop reading", path="/", params={})
    assert browser.session.wait(SECONDS)
    assert offered() == ["read contents"]
    assert not found()
    browser.ask("act", name="read contents", path="/", params=button["params"])
    assert browser.session.wait(SECONDS)
    assert found() == ["Z2-FV-007"]
    assert not offered()
    browser.session.start()  # once is enough
    assert browser.session.wait(SECONDS)
    assert found() == ["Z2-FV-007"]
    assert browser.session.base.complete


def test_code_has_the_slice(browse: Browse, sample_store: Path) -> None:
    found = page(browse(sample_store), "code", "/forecast/temperature", index={"time": 3})
    for code in blocks(found, "code"):
        compile(code["text"], code["label"], "exec")
    assert "3" in said(found)


@pytest.mark.parametrize(
    "data",
    [
        np.full((2, 3), 1 + 2j),
        np.array([["a", "b"], ["c", "d"]]),
        np.zeros(2, [("lat", "f4"), ("name", "S2")]),
    ],
    ids=["complex", "texts", "struct"],
)
def test_code_runs_for_values_that_are_no_plain_numbers(
    browse: Browse, tmp_path: Path, data: np.ndarray[Any, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2).create_array("a", data=data)
    shown = list(blocks(page(browse(tmp_path / "a.zarr"), "code", "/a"), "code"))
    _, with_zarr, with_xarray = (code["text"] for code in shown)
    exec(with_zarr, {})
    plt.close("all")
    assert (capsys.readouterr().out != "") == (data.dtype.kind != "c")
    assert "a has no _ARRAY_DIMENSIONS" in with_xarray


@pytest.mark.parametrize("form", ["html", "json", "markdown", "sarif"])
def test_the_report_is_a_file(browse: Browse, broken_store: Path, form: str) -> None:
    browser = browse(broken_store)
    buttons = [a for block in blocks(page(browser, "report"), "actions") for a in block["actions"]]
    button = next(one for one in buttons if one["params"]["format"] == form)
    done = browser.ask("act", name=button["name"], path="/", params=button["params"])
    (content,) = browser.buffers
    assert "NZ-DIM-010" in bytes(content).decode()
    assert done["file"].startswith(f"{broken_store.name}.")
    if form in ("json", "sarif"):
        json.loads(bytes(content))


@pytest.mark.parametrize("method", ["page", "act"])
def test_what_is_not_there_is_refused(browse: Browse, sample_store: Path, method: str) -> None:
    error = browse(sample_store).refused(method, name="dance", path="/", params={})
    assert error["code"] == "bad_request"
    assert "'dance'" in error["message"]


def test_two_stores_are_compared_in_the_widget(
    browse: Browse, sample_store: Path, broken_store: Path
) -> None:
    browser = browse(sample_store)
    assert "nz-explorer diff" in said(page(browser, "comparison"))
    generation = browser.session.base.hierarchy.generation
    browser.session.keep_comparison(generation, compare(browser.session.base, broken_store))
    shown = page(browser, "comparison", "/forecast")
    assert "Show all" in said(shown)
    rows = [row for table in blocks(shown, "table") for row in table["rows"]]
    assert {"/forecast" in said(row["cells"][0]) for row in rows} == {True}
    assert any({"73", "72"} <= set(said(row["cells"][2]).strip("[]").split(", ")) for row in rows)


def test_conventions_say_what_is_missing_and_the_conversion_is_tried(
    browse: Browse, tmp_path: Path
) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    old = {"_ARRAY_DIMENSIONS": ["y", "x"]}
    root.create_array("t", data=np.zeros((2, 3)), attributes=old)
    root.create_array("s", data=np.array(1.0))
    browser = browse(tmp_path)
    shown = page(browser, "conventions")
    assert "does not conform" in said(shown)
    assert "attribute _ARRAY_DIMENSIONS (1 node)" in said(shown)
    labels = [a["name"] for block in blocks(shown, "actions") for a in block["actions"]]
    assert labels == ["try rule", "try rule", "try rule", "convert"]
    result = browser.ask("act", name="convert", path="/", params={})
    assert (result["message"], result["panel"]) == ("Converted in memory", "changes")
    browser.session.wait()
    assert "No rule of NZ-1.0 is known to be broken." in said(page(browser, "conventions"))
    assert "dimension_names" not in (tmp_path / "t" / "zarr.json").read_text("utf-8")


def test_readers_are_tried_with_edits(browse: Browse, tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    array = json.loads(documents["a/zarr.json"])
    array["shape"] = [2, 4]
    store = write({**documents, "a/zarr.json": json.dumps(array).encode()}, tmp_path / "store")
    browser = browse(store)
    assert "predicted to fail because of NZ-DIM-010" in said(page(browser, "readers"))
    finding = next(f for f in browser.session.evaluation.findings() if f.rule == "NZ-DIM-010")
    browser.session.what_if.apply(finding)
    browser.session.wait()
    shown = page(browser, "readers")
    assert "with 1 edit, in a temporary copy" in said(shown)
    browser.ask("act", name="try readers", path="/", params={})
    trials = browser.session.trials
    assert trials.thread is not None
    trials.thread.join(120)
    assert {t.reader: t.state for t in trials.done}["xarray"] == "reads"
    shown = page(browser, "readers")
    assert "Readers of / with 1 edit" in [t["label"] for t in blocks(shown, "table")]
    assert json.loads((store / "a/zarr.json").read_text())["dimension_names"] == ["y", "x"]


@not_with_the_oldest
def test_readers_are_tried_on_demand(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    assert browser.session.trials.done == []
    browser.ask("act", name="try readers", path="/ocean", params={})
    trials = browser.session.trials
    assert trials.thread is not None
    trials.thread.join(60)
    shown = page(browser, "readers", "/ocean")
    assert "NZ-FILL-00" in said(
        [t for t in blocks(shown, "table") if t["label"] == "Failures of xarray"]
    )
    assert {event["page"] for event in browser.events if event["event"] == "page"} == {"readers"}
    browser.ask("act", name="stop readers", path="/", params={})


def test_the_coordinate_systems_of_cs_on_the_conventions_page(
    browse: Browse, tmp_path: Path
) -> None:
    sets = [
        {
            "unit": "degrees",
            "direction": "north",
            "values": {"regular": [50, 1]},
            "boundaries": {"regular": [-0.5, 0.5]},
        },
        {"name": "row", "values": {"explicit": ["a", "b", "c"]}},
        {
            "name": "km",
            "unit": "km",
            "direction": "north",
            "values": {"external": {"node": "km"}},
        },
    ]
    axis = {"name": "lat", "abbreviation": "Y", "coordinates": sets}
    system = {"name": "WGS84", "id": {"proj:code": "EPSG:4326"}, "axes": [axis]}
    root = zarr.open_group(tmp_path / "store.zarr", mode="w")
    made = root.create_array("a", data=np.zeros(3), dimension_names=["lat"])
    made.attrs.update({"zarr_conventions": [{"name": "cs"}], "cs": {"crs": [system]}})
    root.create_array("km", data=np.arange(3.0), dimension_names=["lat"])
    root.attrs["conventions"] = "NZ-1.0"
    found = page(browse(tmp_path / "store.zarr"), "conventions")
    shown = said(found)
    for part in (
        "axis Y",
        "north",
        "cells from −0.5 to +0.5",
        "EPSG:4326",
        "lat, row",
        "50 … 52",
        " km",
    ):
        assert part in shown, part
    assert shown.count("degrees") == 1  # units stand beside the values, once
    assert "NZ-1.0 1.0" not in shown


def test_chunks_that_differ_in_length_are_explained_and_drawn_to_scale(browse: Browse) -> None:
    written = Path(__file__).parents[1] / "data" / "rectilinear.zip"
    browser = browse(written)
    found = page(browser, "storage", "/months")
    told = said(found)
    assert "28–31 × 4–6, 6 in the grid, which is rectilinear" in told
    assert "31, 28, 31" in told
    assert "Each is drawn as long as it is" in told
    (picture,) = blocks(found, "picture")
    image = imread(io.BytesIO(base64.b64decode(picture["src"].partition(",")[2])))
    assert image.shape[:2] == (67, 44)
    assert "28–31 × 4–6" in said(page(browser, "storage", "/"))
    told = said(page(browser, "storage", "/blocks"))
    for part in (
        "8–12 × 6–14, 6 in the grid, which is rectilinear",
        "In them are 150 inner chunks of 2 × 2",
        "8, 12, 10",
        "The store has 3 of 6 shards",
        "Each is drawn as long as it is",
    ):
        assert part in told, part


def test_a_verdict_says_what_errors_there_are_of_which_the_text_does_not_speak(
    browse: Browse, tmp_path: Path
) -> None:
    root = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    root.create_array("a", shape=(2,), dtype="f4")
    document = tmp_path / "a.zarr/a/.zarray"
    settings = {"id": "zlib", "clevel": 1}
    document.write_text(json.dumps(json.loads(document.read_text()) | {"compressor": settings}))
    browser = browse(tmp_path / "a.zarr")
    for name in ("report", "conventions"):
        results = [str(block["rows"]) for block in blocks(page(browser, name), "table")]
        assert any("✓ conforms to the letter of its text; 1 error beyond" in one for one in results)
