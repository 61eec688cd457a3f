"""What is reported on real data is true; the convention's own examples keep it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from jsonschema import Draft202012Validator

import nz_explorer as nz
from tests.corpus.cases import write

Convert = Callable[..., Path]
NAMES = ["ostia", "e1", "nemo", "eraint"]
EXAMPLES = [
    "array_basic.json",
    "array_fillvalue.json",
    "dimension_coordinate.json",
    "root_group.json",
    "root_group_cf.json",
]


def _errors(report: nz.Report) -> set[tuple[str, str]]:
    return {(f.rule, f.path) for f in report.findings if f.severity == "error"}


@pytest.mark.parametrize("name", NAMES)
def test_what_xarray_writes_as_v3(
    name: str, zarr_from_netcdf: Convert, netcdf_file: Callable[[str], Path]
) -> None:
    report = nz.check(zarr_from_netcdf(name), values="all", progress=False)
    with xr.open_dataset(netcdf_file(name), decode_cf=False) as dataset:
        scalars = {f"/{v}" for v in dataset.variables if not dataset[v].dims}
    assert _errors(report) == {("NZ-DECL-001", "/"), *(("NZ-SCAL-001", path) for path in scalars)}
    dialect = {f.path for f in report.findings if f.rule == "NZ-FILL-005"}
    documents = {
        f"/{file.parent.name}": json.loads(file.read_text("utf-8"))
        for file in zarr_from_netcdf(name).glob("*/zarr.json")
    }
    assert dialect == {
        path
        for path, document in documents.items()
        if isinstance(document["attributes"].get("_FillValue"), str)
        and document["data_type"].startswith("float")
    }
    assert report.conforms == {"NZ-1.0": False, "Zarr v3": True}
    assert report.complete
    assert report.not_evaluated == []


@pytest.mark.parametrize("name", NAMES)
def test_what_xarray_writes_as_v2(name: str, zarr_from_netcdf: Convert) -> None:
    report = nz.check(zarr_from_netcdf(name, 2), progress=False)
    assert _errors(report) == set()
    assert ("NZ-DECL-001", "info") in {(f.rule, f.severity) for f in report.findings}
    assert {f.tags for f in report.findings if f.rule == "NZ-DECL-001"} == {("v2-analogue",)}
    assert report.conforms == {"NZ-1.0": None, "Zarr v2": True}


@pytest.mark.parametrize("name", NAMES)
def test_literal_fill_values_are_no_dialect(name: str, zarr_from_netcdf: Convert) -> None:
    report = nz.check(zarr_from_netcdf(name, literal=True), progress=False)
    assert "NZ-FILL-005" not in {f.rule for f in report.findings}
    assert {rule for rule, _ in _errors(report)} <= {"NZ-DECL-001", "NZ-SCAL-001"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_convention_keep_it(name: str, data: Path, tmp_path: Path) -> None:
    document = (data / "nz-examples" / name).read_bytes()
    assert (
        nz.check(write({"zarr.json": document}, tmp_path / "alone"), progress=False).counts.error
        == 0
    )
    if "group" not in name:
        root = (data / "nz-examples" / "root_group.json").read_bytes()
        store = write({"zarr.json": root, "array/zarr.json": document}, tmp_path / "below")
        report = nz.check(store, progress=False)
        assert report.counts.error == 0
        assert report.conforms["NZ-1.0"] is True


def test_a_bare_nan_of_netcdf_c(nczarr_zip: Callable[[str], Path]) -> None:
    report = nz.check(nczarr_zip("quotes"), progress=False)
    assert ("JSON-003", "/fractional_snow_cover") in _errors(report)


DIFFERING: list[tuple[str, str, Any]] = [
    ("root_group.json", "conventions", "NZ-1.01"),
    ("root_group.json", "conventions", "nz-1.0"),
    ("root_group.json", "conventions", None),
    ("root_group.json", "zarr_conventions", None),
    ("root_group_cf.json", "zarr_conventions", [{"name": "NZ-1.0"}]),
    ("root_group_cf.json", "zarr_conventions", []),
    ("array_basic.json", "zarr_conventions", None),
    ("array_fillvalue.json", "_FillValue", "anything"),
    ("array_basic.json", "shape", [2.0, 3]),
    ("array_basic.json", "shape", [2, "3"]),
    ("array_basic.json", "dimension_names", ["only one"]),
    ("array_basic.json", "dimension_names", ["y", None]),
    ("array_basic.json", "dimension_names", ["y", ""]),
    ("array_basic.json", "data_type", {"name": "own"}),
]
"""Members of the examples, of attributes where they are not the document's, and other values of them."""


@pytest.mark.parametrize(
    ("name", "member", "value"), [*((e, "", None) for e in EXAMPLES), *DIFFERING]
)
def test_the_published_schema_and_what_we_say_of_it(
    name: str, member: str, value: Any, data: Path, tmp_path: Path
) -> None:
    """NZ-SCHEMA-001 reports the nodes on which schema.json itself and the text disagree, and no others."""
    schema = Draft202012Validator(json.loads((data / "nz-examples/schema.json").read_text("utf-8")))
    document = json.loads((data / "nz-examples" / name).read_text("utf-8"))
    if member:
        holder = document if member in document else document["attributes"]
        holder[member] = value
        if value is None:
            del holder[member]
    store = write({"zarr.json": json.dumps(document).encode()}, tmp_path)
    judged = nz.check(store, progress=False)
    said = nz.check(store, select=["NZ-SCHEMA-001"], progress=False).findings
    own = {"NZ-DECL-001", "NZ-DIM-001", "NZ-DIM-004", "NZ-DIM-005", "Z3-SHAPE-001", "Z3-DIM-001"}
    kept = not any(f.severity == "error" and f.rule in own for f in judged.findings)
    assert bool(said) == (schema.is_valid(document) != kept), said
