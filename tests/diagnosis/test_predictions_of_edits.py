"""What is said of readers beforehand, where one thing in a small store is wrong, is what they do: opened, wrong, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
import zarr

from nz_explorer.conventions.nz.consolidated.kinds import UNLESS
from nz_explorer.diagnosis.impact import READERS
from nz_explorer.report.check import check
from tests.diagnosis.test_predictions import outcome
from tests.field.stores import array, edit, group, put, without
from tests.versions import OLDEST

Edit = Callable[[Path], Any]

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(OLDEST, reason="the oldest readers do something else"),
]


def _make(folder: Path, zarr_format: int, edit_it: Edit, *, consolidated: bool = False) -> Path:
    root = group(folder, zarr_format)
    array(root, "a", np.array([1.0, 2.0]), ["x"], fill_value=None if zarr_format == 2 else 0)
    if consolidated:
        zarr.consolidate_metadata(folder)
    edit_it(folder)
    return folder


def _said_and_done(place: Path) -> dict[str, tuple[str, str]]:
    """Return by reader what is predicted and what happens: ``opens``, ``values`` or ``blocks``."""
    report = check(place, values="all", progress=False)
    found = {}
    for name, forecast in report.readers.items():
        if name == "netCDF-C" and report.zarr_format != 2:
            continue
        failures = outcome(name, place, report)
        unseen = all(one.message.startswith(("Unseen", "KeyError")) for one in failures)
        done = "opens" if not failures else "values" if unseen else "blocks"
        said = "blocks" if forecast.blocked_by else "values" if forecast.misled_by else "opens"
        found[name] = said, done
    report.evaluation.hierarchy.close()
    return found


def _entry(zarr_format: int, change: Callable[[Any], Any], name: str = "a") -> Edit:
    """Return what changes the consolidated entry of an array, or all of them."""
    key = "zarr.json" if zarr_format == 3 else ".zmetadata"

    def of(document: Any) -> Any:
        held = document["consolidated_metadata"] if zarr_format == 3 else document
        entries = held["metadata"]
        return change(entries[name] if name else entries)

    return lambda place: edit(place / key, of)


def _write(key: str, text: str) -> Edit:
    return lambda place: (place / key).write_text(text)


def _attributes(**given: Any) -> Edit:
    return lambda place: edit(place / "a" / ".zattrs", lambda held: held.update(given))


def _typed(dtype: str, content: bytes, **given: Any) -> Edit:
    def change(place: Path) -> None:
        put(place / "a" / ".zarray", dtype, "dtype")
        put(place / "a" / ".zarray", None, "fill_value")
        (place / "a" / "0").write_bytes(content)
        _attributes(**given)(place)

    return change


V2: dict[str, tuple[Edit, tuple[str, str, str]]] = {
    # xarray, zarr-python, netCDF-C
    "nothing": (lambda _: None, ("opens", "opens", "opens")),
    "no dtype": (lambda p: without(p / "a/.zarray", "dtype"), ("values", "values", "blocks")),
    "no zarr_format": (
        lambda p: without(p / "a/.zarray", "zarr_format"),
        ("values", "values", "blocks"),
    ),
    "a text of another format": (
        lambda p: put(p / "a/.zarray", "x", "zarr_format"),
        ("blocks", "blocks", "blocks"),
    ),
    "the text 2": (
        lambda p: put(p / "a/.zarray", "2", "zarr_format"),
        ("blocks", "blocks", "opens"),
    ),
    "a root of another format": (
        lambda p: put(p / ".zgroup", "x", "zarr_format"),
        ("blocks", "blocks", "blocks"),
    ),
    "a name too many": (_attributes(_ARRAY_DIMENSIONS=["x", "y"]), ("blocks", "opens", "opens")),
    "the same name twice, which is one too many": (
        _attributes(_ARRAY_DIMENSIONS=["x", "x"]),
        ("blocks", "opens", "blocks"),
    ),
    "an encoding that is a number": (
        _typed("|S1", b"ab", _Encoding=5),
        ("blocks", "opens", "blocks"),
    ),
    "an encoding that there is not": (
        _typed("|S1", b"ab", _Encoding="x"),
        ("blocks", "opens", "blocks"),
    ),
    "times that are true and false": (
        _typed("|b1", b"\1\0", units="days since 2000-01-01"),
        ("blocks", "opens", "blocks"),
    ),
}


@pytest.mark.parametrize("name", V2)
def test_v2(tmp_path: Path, name: str) -> None:
    change, wanted = V2[name]
    found = _said_and_done(_make(tmp_path / "a store", 2, change))
    assert found == {
        reader: (done, done)
        for reader, done in zip(("xarray", "zarr-python", "netCDF-C"), wanted, strict=True)
    }


def test_cftime_makes_dates_of_what_is_no_number(tmp_path: Path) -> None:
    change = _typed("|b1", b"\1\0", units="days since 2000-01-01", calendar="360_day")
    assert _said_and_done(_make(tmp_path, 2, change))["xarray"] == ("values", "opens")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [([2], "opens"), (2.5, "opens"), (None, "opens"), (1, "blocks"), ("x", "blocks")],
)
def test_the_format_of_a_root_that_netcdf_c_wrote(tmp_path: Path, given: Any, wanted: str) -> None:
    def change(place: Path) -> None:
        put(place / ".zgroup", given, "zarr_format")
        notes = {
            "_nczarr_superblock": {"version": "2.0.0"},
            "_nczarr_group": {"dimensions": {"x": 2}, "arrays": ["a"], "groups": []},
            "_nczarr_attr": {"types": {}},
        }
        (place / ".zattrs").write_text(json.dumps(notes))
        own = {"dimension_references": ["/x"], "storage": "chunked"}
        _attributes(_nczarr_array=own, _nczarr_attr={"types": {}})(place)

    assert _said_and_done(_make(tmp_path, 2, change))["netCDF-C"] == (wanted, wanted)


def test_what_netcdf_c_notes_of_itself_is_text(tmp_path: Path) -> None:
    notes = {"_nczarr_superblock": {"version": "2.0.0"}, "_NCProperties": ["version=2"]}
    place = _make(tmp_path, 2, _write(".zattrs", json.dumps(notes)))
    assert _said_and_done(place)["netCDF-C"] == ("blocks", "blocks")


def test_attributes_of_a_group_are_read_by_netcdf_c_too(tmp_path: Path) -> None:
    def change(place: Path) -> None:
        (place / "g").mkdir()
        (place / "g" / ".zgroup").write_text('{"zarr_format": 2}')
        (place / "g" / ".zattrs").write_text('{"x": []}')

    assert _said_and_done(_make(tmp_path, 2, change))["netCDF-C"] == ("blocks", "blocks")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("-a", "blocks"), ("a ", "blocks"), ("(a", "blocks"), ("1a", "opens"), ("a-b", "opens")],
)
def test_names_of_groups_that_netcdf_c_refuses(tmp_path: Path, name: str, wanted: str) -> None:
    def change(place: Path) -> None:
        (place / name).mkdir()
        (place / name / ".zgroup").write_text('{"zarr_format": 2}')

    assert _said_and_done(_make(tmp_path, 2, change))["netCDF-C"] == (wanted, wanted)


def test_chunks_that_are_too_long_to_be_counted(tmp_path: Path) -> None:
    grid = ("chunk_grid", "configuration", "chunk_shape")
    place = _make(tmp_path, 3, lambda p: put(p / "a/zarr.json", [2**63], *grid))
    assert set(_said_and_done(place).values()) == {("blocks", "blocks")}


CONSOLIDATED: dict[str, tuple[int, Edit, str]] = {
    "a document that is cut off": (3, _write("a/zarr.json", "{"), "opens"),
    "a document that says nothing": (3, _write("a/zarr.json", "{}"), "stale"),
    "a document of v2 that is cut off": (2, _write("a/.zarray", "{"), "opens"),
    "attributes that only the entry has": (2, lambda p: (p / "a/.zattrs").unlink(), "stale"),
    "no codecs in the entry": (3, _entry(3, lambda e: e.update(codecs=[])), "blocks"),
    "no data type in the entry": (3, _entry(3, lambda e: e.pop("data_type")), "blocks"),
    "no chunks in the entry": (2, _entry(2, lambda e: e.pop("chunks"), "a/.zarray"), "blocks"),
    "no format in the entry": (2, _entry(2, lambda e: e.pop("zarr_format"), "a/.zarray"), "blocks"),
    "no entry of what makes it an array": (
        2,
        _entry(2, lambda e: e.pop("a/.zarray"), ""),
        "blocks",
    ),
    "an entry in a group without one": (
        2,
        _entry(2, lambda e: e.update({"g/b/.zarray": e["a/.zarray"]}), ""),
        "blocks",
    ),
    "an entry without node, which is broken": (
        3,
        _entry(3, lambda e: e.update(b={**e["a"], "codecs": []}), ""),
        "blocks",
    ),
    "no document of the root": (2, lambda p: (p / ".zgroup").unlink(), "blocks"),
}


@pytest.mark.parametrize("name", CONSOLIDATED)
def test_consolidated_metadata(tmp_path: Path, name: str) -> None:
    zarr_format, change, wanted = CONSOLIDATED[name]
    found = _said_and_done(_make(tmp_path, zarr_format, change, consolidated=True))
    for reader in READERS[:2]:
        said, done = found[reader]
        assert said == {"stale": "values"}.get(wanted, wanted)
        assert done == {"stale": "opens"}.get(wanted, wanted)


def test_what_a_broken_document_does_without_consolidated_metadata_is_said(tmp_path: Path) -> None:
    place = _make(tmp_path, 3, _write("a/zarr.json", "{"), consolidated=True)
    (found,) = [f for f in check(place, progress=False).findings if f.rule == "JSON-002"]
    assert found.impact == "convention"
    assert found.message.endswith(
        "zarr-python and xarray see this only without the consolidated metadata"
    )
    with pytest.raises(json.JSONDecodeError):
        zarr.open_group(place, mode="r", use_consolidated=False)["a"]


def test_an_entry_at_which_readers_stop_says_why(tmp_path: Path) -> None:
    place = _make(tmp_path, 3, _entry(3, lambda e: e.update(codecs=[])), consolidated=True)
    (found,) = [f for f in check(place, progress=False).findings if f.impact == "blocks"]
    assert found.rule == "NZ-CONS-002"
    assert UNLESS in found.readers["xarray"]
    assert "codecs must be a list with at least one codec" in found.readers["xarray"]


@pytest.mark.parametrize("key", ["g/a/zarr.json", "g/zarr.json"])
def test_xarray_opens_groups_below_the_root_by_the_consolidated_metadata(
    tmp_path: Path, key: str
) -> None:
    root = group(tmp_path)
    array(root.create_group("g"), "a", np.array([1.0, 2.0]), ["x"])
    zarr.consolidate_metadata(tmp_path)
    (tmp_path / key).write_text("{")
    assert _said_and_done(tmp_path) == {
        "xarray": ("opens", "opens"),
        "zarr-python": ("opens", "opens"),
    }
    assert "a" in xarray.open_zarr(tmp_path, group="g", chunks=None)
    assert "a" in xarray.open_datatree(tmp_path, engine="zarr")["g"]
    with pytest.raises(json.JSONDecodeError):
        xarray.open_zarr(tmp_path, group="g", chunks=None, consolidated=False)
