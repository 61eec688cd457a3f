"""Checks of stores that are served: over plain HTTP, which cannot list, and from S3."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.buffer import default_buffer_prototype
from zarr.storage import MemoryStore

import nz_explorer as nz


def _found(report: nz.Report) -> set[tuple[str, str]]:
    return {(finding.rule, finding.path) for finding in report.findings}


def test_plain_http_says_what_it_cannot_know(
    broken_store: Path, http_server: Callable[..., Any]
) -> None:
    local = nz.check(broken_store, progress=False)
    report = nz.check(http_server(broken_store).url, progress=False)
    listing = {entry.rule for entry in report.not_evaluated if entry.reason == "listing"}
    assert listing == {
        "TREE-002",
        "TREE-003",
        "TREE-004",
        "TREE-012",
        "TREE-013",
        "TREE-014",
        "TREE-015",
        "Z3-CHUNK-005",
        "Z3-NAME-003",
        "NZ-CONS-003",
    }
    unseen = {(rule, path) for rule, path in _found(local) if rule in listing}
    hidden = {"/archive/monthly_mean", "/ocean/currents"}
    expected = {(rule, path) for rule, path in _found(local) - unseen if path not in hidden}
    assert _found(report) == expected
    assert report.complete


def test_names_that_nothing_lists_are_looked_for(
    tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr").create_group("ocean")
    attributes = {"coordinates": "lat gone"}
    for name in ("salt", "lat"):
        array = group.create_array(name, data=np.ones(2), dimension_names=["cell"])
        array.attrs.update(attributes if name == "salt" else {})
    hierarchy = nz.open_store(http_server(tmp_path / "s.zarr").url)
    assert hierarchy["/ocean/salt"].kind == "array"  # by its path: nothing lists it
    report = nz.check(hierarchy, select=["CF-REF"], progress=False)
    assert [finding.message for finding in report.findings] == [
        'coordinates names "gone", which is no array of /ocean'
    ]


def test_grid_mappings_that_nothing_lists_are_looked_for(
    tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr").create_group("ocean")
    for name, mapping in (("crs", None), ("salt", "crs"), ("sweet", "gone")):
        array = group.create_array(name, data=np.ones(2), dimension_names=["cell"])
        array.attrs.update({} if mapping is None else {"grid_mapping": mapping})
    hierarchy = nz.open_store(http_server(tmp_path / "s.zarr").url)
    for name in ("salt", "sweet"):
        assert hierarchy[f"/ocean/{name}"].kind == "array"  # by its path: nothing lists it
    report = nz.check(hierarchy, select=["GZ-CRS"], progress=False)
    assert [(finding.path, finding.message) for finding in report.findings] == [
        ("/ocean/sweet", 'there is no array for the grid mapping "gone"')
    ]


def test_plain_http_of_a_good_store_stays_undecided(
    sample_store: Path, http_server: Callable[..., Any]
) -> None:
    report = nz.check(http_server(sample_store).url, progress=False)
    assert report.counts.error == 0
    assert report.conforms == {"NZ-1.0": None, "Zarr v3": None}


def test_s3_is_checked_like_a_folder(broken_store: Path, s3: Any) -> None:
    url = s3.upload(broken_store, prefix="rules.zarr")
    report = nz.check(url, progress=False, storage_options=s3.options)
    assert _found(report) == _found(nz.check(broken_store, progress=False))


@pytest.mark.parametrize(("key", "rule"), [("0", "Z2-CHUNK-001"), ("0/0", "Z2-ARR-010")])
def test_a_file_is_no_folder_of_chunks_where_listings_do_not_tell(key: str, rule: str) -> None:
    held: dict[str, Any] = {}
    store = MemoryStore(held)
    group = zarr.create_group(store, zarr_format=2)
    group.create_array("a", shape=(2, 2), chunks=(2, 2), dtype="f4", fill_value=0)
    held[f"a/{key}"] = default_buffer_prototype().buffer.from_bytes(bytes(16))
    report = nz.check(store, progress=False, select=["Z2-CHUNK-001", "Z2-ARR-010"])
    assert _found(report) == {(rule, "/a")}


@pytest.mark.parametrize(("key", "found"), [("b/0", {("TREE-014", "/")}), ("b/0/a/.zgroup", set())])
def test_chunks_without_an_array_are_found_where_listings_do_not_tell(
    key: str, found: set[tuple[str, str]]
) -> None:
    held: dict[str, Any] = {}
    zarr.create_group(MemoryStore(held), zarr_format=2)
    held[key] = default_buffer_prototype().buffer.from_bytes(b'{"zarr_format": 2}')
    report = nz.check(MemoryStore(held), progress=False, select=["TREE-014"])
    assert _found(report) == found
