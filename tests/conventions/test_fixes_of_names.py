"""Fixes of names of arrays and dimensions: what they leave is right by the other rules as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from jsonpatch import apply_patch

import nz_explorer as nz
from tests.corpus.cases import CASES, source


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


@pytest.mark.parametrize(
    ("array", "attribute", "given", "right"),
    [
        ("lat_bnds", "coordinates", "lat latv", "lat"),  # as in IMERG: latv is a dimension alone
        ("lat", "bounds", "lat_bounds", "lat_bnds"),
        ("lon", "bounds", "lon_bnds", None),  # those of the latitudes are none
        ("u10", "ancillary_variables", "u10_qc", None),
        ("v10", "ancillary_variables", "v10_qcc", "v10_qc"),
        ("u10", "ancillary_variables", "qualty", "quality"),
        ("u10", "coordinates", "height_2m", None),
        ("lon", "formula_terms", "a: lat b: Cs_r", "a: lat"),
        ("lat", "bounds", "lat_b", None),  # neither itself nor with a dimension too few
        ("glon", "coordinates", "glon glatt", "glon glat"),  # as in WRF, which names the array itself
    ],
)  # fmt: skip
def test_what_belongs_to_another_array_is_not_meant(
    array: str, attribute: str, given: str, right: str | None, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    arrays = {
        "lat": ["lat"],
        "lon": ["lon"],
        "lat_bnds": ["lat", "latv"],
        "Cs_w": ["s_w"],
        "height_10m": [],
        **{key: ["lat", "lon"] for key in ("u10", "v10", "v10_qc", "quality", "glat", "glon")},
    }
    if given == "lat_b":
        del arrays["lat_bnds"]
    for name, dimensions in arrays.items():
        group.create_array(
            name,
            shape=[2] * len(dimensions),
            dtype="f4",
            dimension_names=dimensions,
            attributes={attribute: given} if name == array else {},
        )
    (found,) = nz.check(tmp_path, select=["CF-REF-001", "CF-REF-002"], progress=False).findings
    assert found.fix is not None
    (operation,) = found.fix.patch
    assert operation.get("value") == right


@pytest.mark.parametrize("given", ["sea level", "crs sea level", "sea_level"])
def test_a_name_with_blanks_is_not_put_where_they_separate_names(
    given: str, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    for name in ("v", "crs", "sea level"):
        group.create_array(
            name,
            shape=(2,),
            dtype="f4",
            dimension_names=["y"],
            attributes={"ancillary_variables": given} if name == "v" else {},
        )
    (found,) = nz.check(tmp_path, select=["CF-REF"], progress=False).findings
    assert found.fix is not None
    assert found.fix.patch == ()
    assert found.fix.note == 'rename "sea level": blanks separate the names in ancillary_variables'


@pytest.mark.parametrize(("given", "right"), [(None, "lat lon"), ("height", "height lat lon")])
def test_coordinates_that_an_array_names_already_stay(
    given: str | None, right: str, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    for name, attributes in {
        "lat": {"units": "degrees_north"},
        "lon": {"units": "degrees_east"},
        "t": {} if given is None else {"coordinates": given},
    }.items():
        group.create_array(
            name, shape=(3, 4), dtype="f4", dimension_names=["y", "x"], attributes=attributes
        )
    group.create_array("height", shape=(), dtype="f4")
    fix = _fix(tmp_path, "CF-REF-005")
    assert fix is not None
    ((operation,),) = [change.patch for change in fix.changes]
    assert (operation["path"], operation["value"]) == ("/attributes/coordinates", right)


def _fix(source: Path, rule: str, **options: Any) -> nz.Fix | None:
    found = nz.check(source, select=[rule], progress=False, **options).findings
    return next(finding for finding in found if finding.rule == rule).fix


def test_axes_are_named_in_the_order_that_fits_the_shape(tmp_path: Path) -> None:
    axes = {
        name: {"coordinates": [{"unit": "1", "direction": "up", "values": {"explicit": values}}]}
        for name, values in (("x", [1, 2, 3]), ("y", [1, 2]), ("h", [5]))
    }
    zarr.open_group(tmp_path, mode="w").create_array(
        "a", shape=(2, 3), dtype="f4", attributes={"cs": {"crs": [{"axes": axes}]}}
    )
    fix = _fix(tmp_path, "CS-ARR-003", conventions="cs")
    assert fix is not None
    assert fix.patch[0]["value"] == ["y", "x"]
    assert "in the order of the shape" in str(fix.note)


@pytest.mark.parametrize(
    ("rule", "names", "right"),
    [
        ("NZ-DIM-001", ..., ["time", "y", "x"]),
        ("Z3-DIM-001", None, ["time", "y", "x"]),
        ("Z3-DIM-003", ["time", None, "x"], "y"),
        ("Z3-DIM-003", ["x", None, "time"], "y"),
        ("Z3-DIM-003", ["other", None, "x"], "dim_1"),
    ],
)
def test_rules_of_zarr_and_nz_name_dimensions_as_axes_of_cs_are_named(
    rule: str, names: Any, right: Any, tmp_path: Path
) -> None:
    axes = {
        name: {"abbreviation": name[0].upper(), "coordinates": [{"values": {"regular": [0, 1]}}]}
        for name in ("x", "y", "time")
    }
    zarr.open_group(tmp_path, mode="w").create_array(
        "a", shape=(2, 3, 4), dtype="f4", attributes={"cs": {"crs": [{"axes": axes}]}}
    )
    document = tmp_path / "a" / "zarr.json"
    given = {} if names is ... else {"dimension_names": names}
    document.write_text(json.dumps({**json.loads(document.read_text()), **given}))
    fix = _fix(tmp_path, rule)
    assert fix is not None
    assert fix.patch[0]["value"] == right


def test_dimensions_are_not_given_names_that_no_axis_has(tmp_path: Path) -> None:
    axes = {
        name: {"coordinates": [{"unit": "m", "direction": "up", "values": {"regular": [0, 1]}}]}
        for name in ("x", "y", "h")
    }
    zarr.open_group(tmp_path, mode="w").create_array(
        "a", shape=(2, 3), dtype="f4", attributes={"cs": {"crs": [{"axes": axes}]}}
    )
    fix = _fix(tmp_path, "CS-ARR-003", conventions="cs")
    assert fix is not None
    assert not fix.patch
    assert '"x", "y", "h"' in str(fix.note)


def test_a_dimension_that_is_longer_above_is_given_another_name(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    group.create_array("time", data=np.arange(4), dimension_names=["time"])
    group.create_array("g/a", shape=(3,), dtype="f4", dimension_names=["/time"])
    fix = _fix(tmp_path, "GZ-DIM-003", conventions="geozarr")
    assert fix is not None
    assert fix.patch[0]["value"] == "time_3"


@pytest.mark.parametrize(("shape", "fixed"), [((4,), True), ((4, 6), False)])
def test_a_number_is_the_shape_of_one_dimension(
    shape: tuple[int, ...], fixed: bool, tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w").create_array("a", shape=shape, chunks=shape, dtype="f4")
    document = tmp_path / "a" / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), "shape": 4}))
    assert (_fix(tmp_path, "Z3-SHAPE-001") is not None) is fixed


@pytest.mark.parametrize("nameless", [None, ""])
def test_xarray_opens_a_group_whose_nameless_dimensions_were_given_the_names_of_the_fix(
    nameless: str | None, tmp_path: Path
) -> None:
    import xarray as xr

    group = zarr.open_group(tmp_path, mode="w")
    for name, length in (("a", 2), ("b", 3)):
        group.create_array(name, shape=(length,), dtype="f4", dimension_names=[nameless])
    with pytest.raises(ValueError, match="conflicting sizes"):
        xr.open_zarr(tmp_path, consolidated=False)
    fix = _fix(tmp_path, "NZ-DIM-013")
    assert fix is not None
    for change in fix.changes:
        document = tmp_path / change.document
        patch = [dict(one) for one in change.patch]
        document.write_text(json.dumps(apply_patch(json.loads(document.read_text()), patch)))
    assert dict(xr.open_zarr(tmp_path, consolidated=False).sizes) == {"dim_0": 2, "dim_1": 3}


def test_made_up_names_are_the_same_where_lengths_are(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0"})
    shapes = {"a": (3, 4), "b": (4,), "c": (3,), "d": (4, 4), "e": (2, 3)}
    for name, shape in shapes.items():
        group.create_array(name, shape=shape, dtype="f4")
    for name in ("e", "b", "a", "d", "c"):  # in whichever order
        found = nz.check(tmp_path, select=["NZ-DIM-001"], progress=False).findings
        hierarchy = nz.open_store(tmp_path, mode="r+")
        nz.apply([one for one in found if one.path == f"/{name}"], hierarchy).write()
    names = {child.name: child.dimension_names for child in nz.open_store(tmp_path).children("/")}
    assert names == {
        "a": ("dim_0", "dim_1"),
        "b": ("dim_1",),
        "c": ("dim_0",),
        "d": ("dim_1", "dim_2"),
        "e": ("dim_3", "dim_0"),
    }
    assert nz.check(tmp_path, select=["NZ-DIM"], progress=False).findings == []


@pytest.mark.parametrize(
    ("levels_are", "names"), [("groups", ["y", "x"]), ("arrays", ["dim_0", "dim_1"])]
)
def test_names_of_another_level_of_a_pyramid(
    levels_are: str, names: list[str], tmp_path: Path
) -> None:
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]
    group = zarr.open_group(tmp_path, mode="w", attributes={"multiscales": {"layout": layout}})
    for level, known in {"0": ["y", "x"], "1": None}.items():
        home, name = (group.create_group(level), "b") if levels_are == "groups" else (group, level)
        shape = (16, 8) if known else (8, 4)
        home.create_array(name, shape=shape, dtype="f4", dimension_names=known)
    fix = _fix(tmp_path, "NZ-DIM-001")
    assert fix is not None
    assert fix.patch[0]["value"] == names


@pytest.mark.parametrize(
    ("odd", "right"),
    [("Öl", "Ol"), ("wind speed", "wind_speed"), ("units ", "units"), ("°C", "_C")],
)
def test_a_name_keeps_the_letters_that_accents_are_on(odd: str, right: str, tmp_path: Path) -> None:
    zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0", odd: 1})
    report = nz.check(tmp_path, select=["NZ-NAME-002"], progress=False)
    (found,) = report.findings
    assert found.fix is not None
    (change,) = found.fix.changes
    document = json.loads((tmp_path / "zarr.json").read_text("utf-8"))
    assert apply_patch(document, change.patch)["attributes"] == {"conventions": "NZ-1.0", right: 1}


@pytest.mark.parametrize(
    ("beside", "names", "right"),
    [
        ({"w": ([3], ["x"])}, ["x "], "x"),
        ({"w": ([4], ["x"])}, ["x "], None),
        ({"w": ([4], ["y"])}, ["x "], "x"),
        ({}, ["x ", "x"], None),
    ],
)
def test_a_plain_name_of_a_dimension_is_not_that_of_another(
    beside: dict[str, tuple[list[int], list[str]]],
    names: list[str],
    right: str | None,
    tmp_path: Path,
) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0"})
    for name, (shape, given) in {"v": ([3] * len(names), names), **beside}.items():
        group.create_array(name, shape=shape, dtype="int8", dimension_names=given)
    found = nz.check(tmp_path, select=["NZ-DIM-007"], progress=False).findings
    (fix,) = [finding.fix for finding in found]
    assert fix is not None
    assert [one["value"] for one in fix.patch] == ([] if right is None else [right])


@pytest.mark.parametrize(("value", "is_renamed"), [(-1, True), (1.5, False), ("none", False)])
def test_an_attribute_is_renamed_to_fill_value_where_it_has_one(
    value: Any, is_renamed: bool, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0"})
    group.create_array(
        "v", shape=[2], dtype="int16", dimension_names=["x"], attributes={"FillValue": value}
    )
    found = nz.check(tmp_path, select=["NZ-PROP-002"], progress=False).findings
    (fix,) = [finding.fix for finding in found]
    assert fix is not None
    assert bool(fix.patch) == is_renamed


@pytest.mark.parametrize(
    ("case", "right", "safety"),
    [
        ("CS-AX-003: the small letter of another axis, on times", "T", "suggest"),
        ("CS-AX-003: a small t", "T", "safe"),
        ("CS-AX-003: the name of the axis", "X", "suggest"),
    ],
)
def test_what_an_axis_is_tells_its_abbreviation_before_a_letter_does(
    case: str, right: str, safety: str, tmp_path: Path
) -> None:
    (known,) = (one for one in CASES if one["name"] == case)
    fix = _fix(source(known, tmp_path), "CS-AX-003")
    assert fix is not None
    assert (fix.patch[0]["value"], fix.safety) == (right, safety)


@pytest.mark.parametrize(
    ("shape", "given", "named", "safety"),
    [
        ((4, 5), ["y", "x"], ["y", "x"], "safe"),
        ((3, 4, 5), ["y", "x"], ["dim_0", "y", "x"], "suggest"),
        ((4,), ["y", "x"], ["dim_0"], "suggest"),
        ((4, 5), ["y", "y"], ["dim_0", "dim_1"], "suggest"),
    ],
)
def test_an_array_that_says_which_dimensions_are_spatial_gets_their_names(
    shape: tuple[int, ...], given: list[str], named: list[str], safety: str, tmp_path: Path
) -> None:
    band = zarr.open_group(tmp_path, mode="w").create_array("band", shape=shape, dtype="u2")
    band.attrs["spatial:dimensions"] = given
    fix = _fix(tmp_path, "NZ-DIM-001")
    assert fix is not None
    assert (fix.patch[0]["value"], fix.safety) == (named, safety)


@pytest.mark.parametrize("older", ["CF-1.10", "CF-1.10, ACDD-1.3", "NZ-1 CF-1.10"])
def test_nz_is_named_in_the_older_attribute_too_so_that_both_agree(
    older: str, tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w", attributes={"Conventions": older})
    fix = _fix(tmp_path, "NZ-DECL-001")
    assert fix is not None
    document = json.loads((tmp_path / "zarr.json").read_text("utf-8"))
    (tmp_path / "zarr.json").write_text(json.dumps(apply_patch(document, list(fix.patch))), "utf-8")
    assert nz.check(tmp_path, select=["NZ-DECL"], progress=False).findings == []


@pytest.mark.parametrize(
    ("value", "safety"), [("1", "safe"), ({}, "safe"), ({"code": "EPSG:4326"}, "suggest")]
)
def test_what_an_entry_says_beside_its_identity_is_not_dropped_unasked(
    value: Any, safety: str, tmp_path: Path
) -> None:
    entry = {"name": "other", "spec_url": "https://example.org/other", "configuration": value}
    zarr.open_group(tmp_path, mode="w", attributes={"zarr_conventions": [entry]})
    fix = _fix(tmp_path, "ZCF-DECL-004")
    assert fix is not None
    assert fix.safety == safety


@pytest.mark.parametrize(
    ("beside", "safety"), [({"_ARRAY_DIMENSIONS": ["y"]}, "safe"), ({}, "suggest")]
)
def test_null_for_all_names_becomes_names_and_is_not_merely_removed(
    beside: dict[str, Any], safety: str, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0"})
    group.create_array("a", shape=(2,), dtype="i4", attributes=beside)
    document = tmp_path / "a" / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), "dimension_names": None}))
    fix = _fix(tmp_path, "Z3-DIM-001")
    assert fix is not None
    assert fix.safety == safety
    made = apply_patch(json.loads(document.read_text()), [dict(one) for one in fix.patch])
    assert made["dimension_names"] == (["y"] if beside else ["dim_0"])
    document.write_text(json.dumps(made))
    left = {finding.rule for finding in nz.check(tmp_path, progress=False).findings}
    assert not left & {"Z3-DIM-001", "NZ-DIM-001"}


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    ("name", "length", "expected"), [("x", 3, "x"), ("x", 4, "dim_0"), ("z", 3, "station")]
)
def test_the_coordinate_of_a_dimension_of_others_is_named_like_itself(
    name: str, length: int, expected: str, zarr_format: Any, tmp_path: Path
) -> None:
    """Tools that name only the dimensions of the data leave such coordinates."""
    group = zarr.open_group(
        tmp_path, mode="w", zarr_format=zarr_format, attributes={"conventions": "NZ-1.0"}
    )
    for other, dimensions in {"along": ["station"], "data": ["y", "x"]}.items():
        named: dict[str, Any] = (
            {"dimension_names": dimensions}
            if zarr_format == 3
            else {"attributes": {"_ARRAY_DIMENSIONS": dimensions}}
        )
        group.create_array(other, shape=(2, 3)[-len(dimensions) :], dtype="i4", **named)
    group.create_array(name, shape=(length,), dtype="i4")
    fix = _fix(tmp_path, "NZ-DIM-001")
    assert fix is not None
    assert fix.patch[-1]["value"] == [expected]
    assert fix.note is not None
    assert ("made up" in fix.note) is (expected == "dim_0")


@pytest.mark.parametrize(
    ("document", "member"),
    [
        (".zattrs", "_array_dimensions"),
        (".zattrs", "ARRAY_DIMENSIONS"),
        (".zarray", "dimension_names"),
    ],
)
def test_names_that_an_array_gives_elsewhere_are_not_made_up(
    document: str, member: str, tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w", zarr_format=2).create_array("v", shape=(2, 3), dtype="f4")
    path = tmp_path / "v" / document
    path.write_text(json.dumps({**json.loads(path.read_text()), member: ["lat", "lon"]}))
    (finding,) = nz.check(tmp_path, select=["Z2-OGC-002"], progress=False).findings
    assert finding.fix is not None
    assert f"/{document}/{member}" in finding.message
    before = json.loads((tmp_path / "v" / ".zattrs").read_text())
    after = apply_patch(before, list(finding.fix.patch))
    assert after["_ARRAY_DIMENSIONS"] == ["lat", "lon"]
    assert "_array_dimensions" not in after


@pytest.mark.parametrize(("beside", "kept"), [("zattrs", True), ("zattrs.txt", True), ("x", False)])
def test_names_in_misnamed_attributes_are_not_made_up(
    beside: str, kept: bool, tmp_path: Path
) -> None:
    """Made-up names would be the .zattrs beside which TREE-013 does not tell of the other one."""
    zarr.open_group(tmp_path, mode="w", zarr_format=2).create_array("v", shape=(2, 3), dtype="f4")
    attributes = tmp_path / "v" / ".zattrs"
    attributes.write_text(json.dumps({"_ARRAY_DIMENSIONS": ["lat", "lon"]}))
    attributes.rename(tmp_path / "v" / beside)
    found = nz.check(tmp_path, select=["Z2-OGC-002", "TREE-013"], progress=False).findings
    fixes = {finding.rule: finding.fix for finding in found}
    assert (fixes["Z2-OGC-002"] is None) is kept
    assert (fixes.get("TREE-013") is not None) is kept


@pytest.mark.parametrize(
    ("attributes", "changed"),
    [
        ({"units": "days since 1900-02-30"}, ["calendar"]),
        ({"units": "days since 1900-02-30", "calendar": "standard"}, ["units", "reference_date"]),
        ({"units": "days since 1900-02-29"}, ["units", "reference_date"]),
        ({"units": "months since 1900-01-01"}, ["units", "reference_date"]),
    ],
)
def test_times_without_a_calendar_get_the_only_one_that_has_their_date(
    attributes: dict[str, str], changed: list[str], tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w").create_array(
        "t", shape=(2,), dtype="i4", dimension_names=["t"], attributes=attributes
    )
    fix = _fix(tmp_path, "CF-TIME-001", conventions="cf")
    assert fix is not None
    assert [one["path"].rpartition("/")[2] for one in fix.patch] == changed


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("a name too many, which arrays beside it have for another length", ["y", "x"]),
        ("null after as many names as there are dimensions", ["y", "x"]),
        ("a name too many, of which nothing tells which it is", None),
        ("two names in one text", ["lat", "lon"]),
    ],
)
def test_of_too_many_names_those_that_fit_are_left(
    name: str, left: list[str] | None, tmp_path: Path
) -> None:
    (case,) = (case for case in CASES if case["name"] == f"Z2-OGC-003: {name}")
    store = source(case, tmp_path)
    (wrong,) = nz.check(store, select=["Z2-OGC-003"], progress=False).findings
    assert wrong.fix is not None
    assert [one["value"] for one in wrong.fix.patch] == ([] if left is None else [left])


@pytest.mark.parametrize("kept", [False, True])
def test_a_dimension_whose_axis_a_group_keeps_is_not_renamed_alone(
    kept: bool, tmp_path: Path
) -> None:
    """The axis of the group would no longer be that of any dimension."""
    system = {"type": "undefined", "axes": {"band/1": {}}}
    entry = {"ref": {"node": "..", "attribute": "/attributes/crs/bands"}} if kept else system
    group = zarr.open_group(tmp_path, mode="w", attributes={"crs": {"bands": system}})
    group.create_array(
        "v",
        shape=(3,),
        dtype="f8",
        dimension_names=["band/1"],
        attributes={"cs": {"crs": [entry]}},
    )
    found = nz.check(tmp_path, conventions=["nz", "cs"]).to_dict()["findings"]
    (one,) = (each for each in found if each["rule"] == "NZ-DIM-007")
    assert bool(one["fix"]["patch"]) is not kept
    assert ("axis of cs" in one["fix"]["note"]) is kept
