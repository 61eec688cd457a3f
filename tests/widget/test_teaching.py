"""The pages that teach: why an array is what it is, concepts, the fill lab, the glossary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.widget.conftest import Browse
from tests.widget.test_pages import blocks, links, page, said


def plain(words: list[Any]) -> str:
    """Return a text without what is said of its words when one points at them."""
    return "".join(word if isinstance(word, str) else word["text"] for word in words)


def table(found: Any, label: str) -> dict[str, list[str]]:
    """Return the rows of a table by their first cell."""
    (one,) = (block for block in blocks(found, "table") if block["label"] == label)
    return {
        plain(row["cells"][0]): [said(cell) for cell in row["cells"][1:]] for row in one["rows"]
    }


def targets(found: Any) -> set[tuple[str, str | None]]:
    """Return where the links of a page lead to: nodes and lines of documents."""
    return {(link["path"], link.get("pointer")) for link in links(found)}


def test_why_a_coordinate_is_one_is_answered_with_its_values(
    browse: Browse, sample_store: Path, broken_store: Path
) -> None:
    shown = page(browse(sample_store), "role", "/forecast/lat")
    assert "Why is this a dimension coordinate?" in said(shown)
    tests = table(shown, "Tests")
    assert all("yes" in verdict for verdict, _, _ in tests.values())
    assert "from 90.0 to -90.0" in tests["they all rise, or they all fall"][1]
    derived = {test for test, (*_, source) in tests.items() if source.startswith("follows from")}
    assert derived == {"its values have an order", "none of them is missing"}
    own = [source for test, (*_, source) in tests.items() if test not in derived]
    assert all(source.startswith("NZ-1.0, Dimension Coordinate") for source in own)
    browser = browse(broken_store)
    order = table(page(browser, "role", "/analysis/lon"), "Tests")[
        "they all rise, or they all fall"
    ]
    assert "no" in order[0]
    assert "value[40] = 4.0 after value[39] = 4.5" in order[1]
    missing = table(page(browser, "role", "/analysis/lat"), "Tests")["none of them is missing"]
    assert "value[17]" in missing[1]


def test_an_auxiliary_array_says_who_needs_it_and_what_is_the_coordinate(
    browse: Browse, sample_store: Path
) -> None:
    shown = page(browse(sample_store), "role", "/ocean/latitude")
    assert "sea_surface_temperature" in table(shown, "Tests")["another array names it (CF)"][1]
    assert "rlat is its coordinate along rlat" in " ".join(said(shown).split())


def test_concepts_without_equivalent_are_said_with_where_they_are_used(
    browse: Browse, sample_store: Path
) -> None:
    browser = browse(sample_store)
    analysis = table(page(browser, "concepts", "/analysis"), "netCDF concepts")
    for concept in ("unlimited dimension", "enum type", "compound, opaque and vlen types"):
        assert "no equivalent" in analysis[concept][0]
    assert "cloud_type" in analysis["enum type"][1]
    assert "not used here" in analysis["unlimited dimension"][1]
    assert (
        "surface_pressure: scale_factor, add_offset"
        in analysis["packing: scale_factor, add_offset"][1]
    )


def test_what_netcdf_c_has_noted_is_found(browse: Browse, netcdf_c: Path) -> None:
    browser = browse(netcdf_c / "everything")
    found = [
        table(page(browser, "concepts", path), "netCDF concepts")
        for path in (
            "/",
            *(
                row["path"]
                for row in browser.ask("children", path="/")["rows"]
                if row["kind"] == "group"
            ),
        )
    ]
    assert any("not used here" not in concepts["unlimited dimension"][1] for concepts in found)
    assert any(
        "not used here" not in concepts["dimension of an enclosing group"][1] for concepts in found
    )


def test_the_fill_lab_shows_four_readings(browse: Browse, sample_store: Path) -> None:
    shown = page(browse(sample_store), "fill", "/analysis/surface_pressure", index={"time": 3})
    assert len(list(blocks(shown, "picture"))) == 4
    assert "time = 3" in said(shown)
    cells = table(shown, "Cells")
    masked = [row for row in cells.values() if row[1].startswith("missing")]
    assert masked
    for stored, _, by_storage, by_xarray in masked:
        assert stored.startswith("-32768")
        assert by_storage.startswith("-32768")
        assert by_xarray.startswith("missing")


def test_the_fill_lab_says_what_keeps_xarray_from_reading(
    browse: Browse, sample_store: Path
) -> None:
    shown = page(browse(sample_store), "fill", "/forecast/height")
    assert "Incorrect padding" in said(shown)
    assert ("/forecast/precipitation", None) in targets(shown)
    assert len(list(blocks(shown, "picture"))) == 0


@pytest.mark.parametrize("path", ["/", "/ocean"])
def test_the_fill_lab_of_a_group_leads_to_arrays(
    browse: Browse, sample_store: Path, path: str
) -> None:
    found = {to for to, _ in targets(page(browse(sample_store), "fill", path))}
    assert ("/ocean/salinity" in found) == (path == "/ocean")


@pytest.mark.parametrize("path", ["/analysis/snow", "/stations/radiation", "/analysis/soil"])
def test_what_cannot_be_read_is_said(browse: Browse, broken_store: Path, path: str) -> None:
    browser = browse(broken_store)
    assert said(page(browser, "fill", path))
    assert said(page(browser, "concepts", path))


def test_every_link_of_the_glossary_leads_somewhere(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store)
    shown = page(browser, "glossary", "/analysis/cloud_type")
    found = targets(shown)
    assert {"/analysis/cloud_type", "/analysis/lat", "/"} <= {to for to, _ in found}
    for path, pointer in found:
        node = browser.session.tree.node(path)
        if pointer:
            document, inside = node.locate(pointer)
            assert document is not None
            assert document.span(inside) is not None, (path, pointer)
    (words,) = blocks(shown, "definitions")
    items = {said(item["label"]): said(item["text"]) for item in words["items"]}
    assert "NZ-DIM-010" in items["dimension"]
    assert "There is none here" in items["unlimited dimension"]
    assert list(items) == sorted(items)
