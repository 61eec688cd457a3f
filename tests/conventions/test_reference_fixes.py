"""Fixes of attributes that name arrays: what is left is an attribute that readers understand."""

from __future__ import annotations

from pathlib import Path

import pytest
import zarr

import nz_explorer as nz


@pytest.mark.parametrize(
    ("attribute", "given", "right"),
    [
        ("cell_measures", "area: nowhere", None),
        ("cell_measures", "area: nowhere volume: vol", "volume: vol"),
        ("cell_measures", "area: cell_aera volume: vol", "area: cell_area volume: vol"),
        ("formula_terms", "sigma: vol ps: nowhere", "sigma: vol"),
        ("grid_mapping", "crs: y x other: vol", "crs: y x"),
        ("grid_mapping", "crss: y x", "crs: y x"),
        ("grid_mapping", "crs: lat lon", "crs"),
        ("grid_mapping", "crs: y lon other: vol", "crs: y"),
        ("grid_mapping", "nowhere", "crs"),
        ("ancillary_variables", "vol nowhere", "vol"),
        ("coordinates", "nowhere", None),
    ],
)
def test_what_is_left_has_the_form_of_the_attribute(
    attribute: str, given: str, right: str | None, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    attributes = {"v": {attribute: given}, "crs": {"grid_mapping_name": "latitude_longitude"}}
    for name in ("v", "y", "x", "vol", "cell_area", "crs"):
        group.create_array(
            name,
            shape=(2,),
            dtype="f4",
            dimension_names=["x"],
            attributes=attributes.get(name, {}),
        )
    report = nz.check(tmp_path, select=["CF-REF"], progress=False)
    (finding,) = (one for one in report.findings if one.path == "/v")
    assert finding.fix is not None
    (operation,) = finding.fix.patch
    assert operation.get("value") == right
    assert operation["op"] == ("remove" if right is None else "replace")
