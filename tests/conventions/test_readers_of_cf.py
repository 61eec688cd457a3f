"""What is said of readers of single attributes of CF is what they do, and their fixes cure all that is alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from tests.conventions.test_corpus import CASES, source


def _findings(folder: Path, rule: str, values: Any, **attributes: Any) -> list[nz.Finding]:
    group = zarr.open_group(folder, mode="w")
    group.create_array("b", data=np.asarray(values), dimension_names=["z"], attributes=attributes)
    checked = nz.check(folder, select=[rule], conventions="cf", values="all", progress=False)
    return list(checked.findings)


@pytest.mark.parametrize(
    ("attributes", "readers"),
    [
        ({"standard_name": "Longitude"}, set()),
        ({"standard_name": "longitud"}, {"rioxarray"}),
        ({"standard_name": "forecast_perod"}, set()),
        ({"axis": "x"}, set()),
        ({"axis": "east"}, {"rioxarray"}),
        ({"positive": "downwards"}, set()),
        ({"units": "degrees_nort"}, set()),
        ({"grid_mapping_name": "lambert"}, {"rioxarray", "GDAL"}),
    ],
)
def test_a_reader_is_named_where_it_goes_by_the_attribute(
    attributes: dict[str, Any], readers: set[str], tmp_path: Path
) -> None:
    """rioxarray looks at axis and standard_name alone, and there not at capitals."""
    found = _findings(tmp_path, "CF-ATTR-003", [1, 2], **attributes)
    assert [set(finding.readers) for finding in found] == [readers]


def test_a_scale_of_true_makes_booleans_of_values(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    (alone,) = _findings(tmp_path, "CF-PACK-001", [0, 2], scale_factor=True)
    shown = xarray.open_dataset(tmp_path, engine="zarr", consolidated=False)["b"].values
    assert shown.tolist() == [False, True]
    assert alone.readers["xarray"].startswith("makes true of all values but 0")
    (both,) = _findings(tmp_path, "CF-PACK-001", [0, 2], scale_factor=True, add_offset=1.0)
    assert both.readers["xarray"] == "takes it for 1"


def test_a_scale_gets_its_decimal_point(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    (found,) = _findings(tmp_path, "CF-PACK-001", np.float32([0.5, 1.5]), scale_factor=1)
    assert found.impact == "values"
    nz.apply([found], nz.open_store(tmp_path, mode="r+")).write()
    shown = xarray.open_dataset(tmp_path, engine="zarr", consolidated=False)["b"].values
    assert shown.tolist() == [0.5, 1.5]


def test_several_times_that_are_no_dates_are_not_declared_missing(tmp_path: Path) -> None:
    units = "seconds since 2019-05-30"
    (several,) = _findings(tmp_path, "CF-TIME-009", [1.5e18, 1.6e18], units=units)
    assert several.fix is not None
    assert not several.fix.patch
    (one,) = _findings(tmp_path, "CF-TIME-009", [1.0, 1.6e18], units=units)
    assert one.fix is not None
    assert one.fix.patch


def test_all_texts_of_a_scale_become_numbers(tmp_path: Path) -> None:
    case = next(one for one in CASES if one["name"] == "OME-IMG-006: a scale of texts")
    store = nz.open_store(source(case, tmp_path), mode="r+")
    (found,) = nz.check(store, select=["OME-IMG-006"], progress=False).findings
    applied = nz.apply([found], store).write()
    assert not [one for one in applied.left if one.rule == "OME-IMG-006"]


def test_a_missing_value_that_is_unpacked_is_what_xarray_masks_by(tmp_path: Path) -> None:
    """Of Zarr v2 that is fill_value, whatever the attribute says."""
    case = next(one for one in CASES if one["name"] == "CF-PACK-003: the packed value")
    store = nz.open_store(source(case, tmp_path), mode="r+")
    (found,) = nz.check(store, select=["CF-PACK-003"], progress=False).findings
    applied = nz.apply([found], store).write()
    assert {one.rule for one in applied.gone} >= {"CF-PACK-003"}
    assert not [one for one in applied.new if one.severity != "info"]


def test_a_mark_that_xarray_refuses_comes_with_that(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    for name, kind in (("f", "float32"), ("i", "int16")):
        attributes = {"missing": {"_FillValue": 1}, "_Fillvalue": 1}
        group.create_array(name, shape=3, dtype=kind, dimension_names=["z"], attributes=attributes)
    found = nz.check(tmp_path, select=["NZ-PROP-002"], progress=False).findings
    notes = {(one.path, one.pointer): str(one.fix and one.fix.note) for one in found}
    assert len(notes) == 4
    assert all(
        ("cannot open the group" in note) == (path == "/f") for (path, _), note in notes.items()
    )
