"""What breaking a rule means for the people who read the data."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import netCDF4
import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.conventions import rules
from nz_explorer.diagnosis.impact import (
    IMPACTS,
    READERS,
    affected,
    by_impact,
    forecasts,
    impact_of,
    impact_of_rule,
)
from nz_explorer.engine.findings import Fail, Finding, Severity, Violation
from nz_explorer.widget.impacts import Impacts
from tests.corpus.cases import FaultyStore, contents, write

ONE_DIMENSION = {"_ARRAY_DIMENSIONS": ["x"]}
"""Attributes of an array of one dimension."""


@pytest.mark.parametrize("undeclared", [True, False])
@pytest.mark.parametrize(
    ("level", "severity", "expected"),
    [
        ("MUST", "error", ("distance", "convention")),
        ("MUST*", "warning", ("distance", "convention")),
        ("derived", "warning", ("distance", "convention")),
        ("MUST", "info", ("advice", "advice")),
        ("SHOULD", "warning", ("advice", "advice")),
        ("INFO", "info", ("advice", "advice")),
        ("SHOULD", "error", ("distance", "convention")),
    ],
)
def test_without_an_entry_the_impact_follows_from_the_level(
    level: str, severity: Severity, expected: tuple[str, str], undeclared: bool
) -> None:
    info = replace(rules()["NZ-ATTR-001"], level=level, impact=None)
    assert impact_of_rule(info, severity, undeclared=undeclared) == expected[not undeclared]


def test_the_case_may_differ_from_its_rule() -> None:
    rule = rules()["NZ-DIM-010"]
    assert (rule.impact, rule.affects) == ("blocks", ("xarray",))

    def meant(**given: Any) -> tuple[str, tuple[str, ...]]:
        violation = Violation(rule, Fail("", "", **given), "error")
        return impact_of(violation, undeclared=False), affected(violation)

    assert meant() == ("blocks", ("xarray",))
    assert meant(readers={}) == ("convention", ())
    assert meant(readers={"zarr-python": "raises"}) == ("blocks", ("zarr-python",))
    assert meant(impact="values") == ("values", ("xarray",))


def test_where_a_reader_minds_the_entry_says_which_and_what_it_does() -> None:
    for info in rules().values():
        if info.impact in ("blocks", "values"):
            assert info.affects, f"{info.id} does not say which reader it is about"
            assert set(info.affects) <= {*READERS}, info.id
            assert any(name.startswith(info.affects) for name in info.readers), info.id
        else:
            assert not info.affects, info.id


def test_readers_are_predicted_from_what_they_mind() -> None:
    broken = [
        ("NZ-DIM-010", "blocks", "xarray"),
        ("NZ-CONS-002", "values", "zarr-python"),
        ("NZ-CONS-002", "values", "xarray"),
    ]
    xarray, zarr, netcdf = forecasts(
        broken, complete=True, unknown={"netCDF-C": "few builds of netCDF-C read Zarr v3"}
    )
    assert (xarray.opens, xarray.blocked_by, xarray.misled_by) == (
        False,
        ("NZ-DIM-010",),
        ("NZ-CONS-002",),
    )
    assert (zarr.opens, zarr.blocked_by, zarr.misled_by) == (True, (), ("NZ-CONS-002",))
    assert netcdf.opens is None
    assert "Zarr v3" in netcdf.reason
    unknown = list(forecasts([], complete=False))
    assert [one.opens for one in unknown] == [None, None, None]


def test_a_healthy_file_of_xarray_has_nothing_but_distance_and_advice(tmp_path: Path) -> None:
    xr.Dataset(
        {"t": (("time", "lat", "lon"), np.ones((3, 4, 5), "f4"), {"units": "K"})},
        {
            "time": ("time", np.arange(3.0), {"units": "days since 2000-01-01"}),
            "lat": np.linspace(-60, 60, 4),
            "lon": np.linspace(0, 300, 5),
        },
    ).to_zarr(tmp_path / "healthy.zarr", zarr_format=3, consolidated=False)
    explorer = nz.explore(tmp_path / "healthy.zarr")
    explorer.wait()
    counted = Impacts(explorer._session.evaluation)
    found = counted.at("/")
    assert (found.blocks, found.values, found.convention) == (0, 0, 0)
    assert counted.steps() > 0
    assert [one.opens for one in counted.readers()] == [True, True, None]
    explorer.close()


def test_counts_by_impact_are_those_of_the_findings(tmp_path: Path) -> None:
    from nz_explorer.lab import demo_data

    source = demo_data.write_broken(tmp_path)
    explorer = nz.explore(source)
    explorer.wait()
    evaluation = explorer._session.evaluation
    counted = Impacts(evaluation)
    for path in ("/", *[child.path for child in evaluation.hierarchy.root.children or ()]):
        meant = [one.impact for one in evaluation.findings(path)]
        found = counted.at(path)
        assert {name: getattr(found, name) for name in IMPACTS} == {
            name: meant.count(name) for name in IMPACTS
        }
    explorer.close()


def test_levels_of_a_pyramid_are_not_red_and_readers_are_told(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    axes = [{"name": name, "type": "space"} for name in ("y", "x")]
    levels = [{"path": name, "coordinateTransformations": []} for name in ("a", "b")]
    ome = {"ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": levels}]}}
    root = {"zarr_format": 3, "node_type": "group", "attributes": ome}
    small = json.loads(documents["a/zarr.json"])
    small["shape"] = small["chunk_grid"]["configuration"]["chunk_shape"] = [1, 2]
    store = {"zarr.json": json.dumps(root).encode(), "a/zarr.json": documents["a/zarr.json"]}
    report = nz.check(
        write({**store, "b/zarr.json": json.dumps(small).encode()}, tmp_path), progress=False
    )
    assert {finding.impact for finding in report.findings} <= {"distance", "advice"}
    assert report.readers["xarray"].blocked_by == ("NZ-DIM-010",)  # which opens one level at a time


@pytest.mark.parametrize(("levels", "impact"), [(2, "advice"), (1, "blocks")])
def test_nameless_levels_of_an_image_are_not_red(levels: int, impact: str, tmp_path: Path) -> None:
    axes = [{"name": name, "type": "space"} for name in ("y", "x")]
    paths = [{"path": str(n), "coordinateTransformations": []} for n in range(levels)]
    image = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": paths}]}
    store: dict[str, object] = {".zgroup": {"zarr_format": 2}, ".zattrs": image}
    for n in range(levels):
        array = {"zarr_format": 2, "shape": [4 >> n] * 2, "chunks": [4 >> n] * 2, "dtype": "|u1"}
        array |= {"compressor": None, "filters": None, "order": "C", "fill_value": 0}
        store[f"{n}/.zarray"] = array
    place = write({key: json.dumps(value).encode() for key, value in store.items()}, tmp_path)
    report = nz.check(place, progress=False)
    found = [finding for finding in report.findings if finding.rule == "Z2-OGC-002"]
    assert [finding.impact for finding in found] == [impact] * levels
    # names would not help xarray: the levels would conflict
    assert report.readers["xarray"].blocked_by == ("Z2-OGC-002",)


def test_a_type_that_netcdf_c_alone_lacks_heads_no_report(tmp_path: Path) -> None:
    array = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|b1", "fill_value": None}
    array |= {"compressor": None, "filters": None, "order": "C"}
    store = {".zgroup": {"zarr_format": 2}, "a/.zarray": array}
    store |= {"a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}, ".zattrs": {"conventions": "NZ-1.0"}}
    place = write({key: json.dumps(value).encode() for key, value in store.items()}, tmp_path)
    report = nz.check(place, progress=False)
    (found,) = [finding for finding in report.findings if finding.rule == "Z2-OGC-004"]
    assert found.impact == "advice"
    assert report.readers["netCDF-C"].blocked_by == ("Z2-OGC-004",)
    assert not report.readers["xarray"].blocked_by

    one, other = replace(found.info, affects=("xarray",)), found.info
    minds = Fail("", "", impact="blocks")
    alone = Finding(Violation(other, minds, "error"), "/a", (), "blocks", list)
    many = Finding(Violation(one, minds, "info"), "/a", (), "blocks", list)
    assert by_impact([alone, many])["blocks"] == [many, alone]


def test_the_widget_and_the_report_say_the_same(tmp_path: Path) -> None:
    from nz_explorer.lab import demo_data

    explorer = nz.explore(demo_data.write_broken(tmp_path))
    explorer.wait()
    report, counted = explorer.report, Impacts(explorer._session.evaluation)
    found = {name: len(those) for name, those in report.by_impact.items()}
    assert {name: getattr(counted.at("/"), name) for name in IMPACTS} == found
    assert counted.steps() == len(report.conformance.steps)
    assert [(one.reader, one.opens, tuple(one.blocked_by)) for one in counted.readers()] == [
        (one.reader, one.opens, one.blocked_by) for one in report.readers.values()
    ]
    assert f"{counted.steps()} steps from NZ-1.0" in report.to_text()
    explorer.close()


@pytest.mark.parametrize(
    ("asked", "xarray", "zarr_python"),
    [
        ({}, True, True),
        ({"conventions": "nz"}, None, True),
        ({"conventions": "cs"}, None, None),
        ({"conventions": "geozarr"}, None, None),
        ({"conventions": "cf"}, None, None),
        ({"select": ["NZ-DIM"]}, None, None),
        ({"ignore": ["Z3"]}, None, None),
        ({"ignore": ["CF-TIME-001"]}, None, True),
        ({"ignore": ["CF-FILL", "NZ-NAME"]}, True, True),
    ],
    ids=str,
)
def test_a_reader_is_predicted_only_where_all_rules_on_what_it_refuses_were_asked_for(
    asked: dict[str, Any], xarray: bool | None, zarr_python: bool | None, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path / "d.zarr", mode="w")
    group.create_array("x", data=np.arange(3.0), dimension_names=["x"])
    readers = nz.check(tmp_path / "d.zarr", progress=False, **asked).readers
    for reader, opens in (("xarray", xarray), ("zarr-python", zarr_python)):
        assert readers[reader].opens is opens
        assert ("asked for" in readers[reader].reason) is (opens is None)


def test_a_literal_fill_value_is_not_said_to_open_where_only_geozarr_was_asked_for(
    tmp_path: Path,
) -> None:
    group = zarr.open_group(tmp_path / "d.zarr", mode="w")
    array = group.create_array("x", data=np.arange(3.0), dimension_names=["x"])
    array.attrs["_FillValue"] = -9999.0
    with pytest.raises(TypeError):
        xr.open_zarr(tmp_path / "d.zarr", consolidated=False)
    check = partial(nz.check, tmp_path / "d.zarr", progress=False)
    assert check().readers["xarray"].opens is False
    assert check(conventions="geozarr").readers["xarray"].opens is None


@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("group", ["", "inside"])
def test_xarray_is_not_said_to_open_what_has_a_coordinate_that_could_not_be_read(
    group: str, consolidated: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "d.zarr"
    made = xr.Dataset({"v": ("x", [1, 2, 3])}, {"x": [1, 2, 3]})
    made.to_zarr(folder, group=group or None, consolidated=consolidated)
    if consolidated:
        zarr.consolidate_metadata(folder)
    assert nz.check(folder, progress=False).readers["xarray"].opens
    (folder / group / "x" / "c" / "0").write_bytes(b"damaged")
    with pytest.raises(RuntimeError):
        xr.open_zarr(folder, group=group or None, consolidated=False)
    readers = nz.check(folder, progress=False).readers
    assert readers["xarray"].opens is False
    assert readers["xarray"].blocked_by == ("Z3-CHUNK-003",)
    assert nz.check(folder, values="all", progress=False).readers == readers
    assert nz.check(folder, values="none", progress=False).readers["xarray"].opens
    stored = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }
    refused = FaultyStore(stored, [Path(group, "x", "c", "0").as_posix()], listable=True)
    readers = nz.check(refused, progress=False).readers
    assert readers["xarray"].opens is None
    assert str(Path("/", group, "x")) in readers["xarray"].reason
    assert readers["zarr-python"].opens


@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
@pytest.mark.parametrize("consolidated", [True, False])
def test_users_of_xarray_are_told_how_a_tree_of_groups_opens(
    consolidated: bool, tmp_path: Path
) -> None:
    def said(folder: Path) -> str:
        return nz.check(folder, progress=False).readers["xarray"].reason

    grouped = tmp_path / "grouped.zarr"
    made = xr.Dataset({"v": ("x", [1, 2, 3])}, {"x": [1, 2, 3]})
    made.to_zarr(grouped, group="fine", consolidated=consolidated)
    if consolidated:
        zarr.consolidate_metadata(grouped)
    assert not xr.open_zarr(grouped, consolidated=consolidated).variables
    assert "an empty dataset" in said(grouped)

    tree = tmp_path / "tree.zarr"
    xr.Dataset(coords={"x": [1, 2]}).to_zarr(tree, consolidated=False)
    made.to_zarr(tree, group="fine", consolidated=False)
    if consolidated:
        zarr.consolidate_metadata(tree)
    with pytest.raises(ValueError, match="not aligned with its parents"):
        xr.open_datatree(tree, engine="zarr", consolidated=consolidated)
    assert "dimension x of /fine has length 3, and /x has 2" in said(tree)
    assert set(xr.open_groups(tree, engine="zarr", consolidated=consolidated)) == {"/", "/fine"}


def test_users_of_xarray_are_told_of_groups_with_other_coordinate_values(tmp_path: Path) -> None:
    def write(x: list[float], **attributes: object) -> str:
        child = xr.Dataset({"v": ("x", [1, 2, 3])}, {"x": ("x", x, attributes)})
        child.to_zarr(tmp_path, group="child", mode="w", consolidated=False)
        return nz.check(tmp_path, progress=False).readers["xarray"].reason

    xr.Dataset(coords={"x": ("x", [1.0, 2.0, 3.0], {"units": "m"})}).to_zarr(
        tmp_path, consolidated=False
    )
    said = write([1.0, 2.0, 4.0], units="m")
    assert "/child/x has the values 1.0 … 4.0 m, and /x 1.0 … 3.0 m" in said
    with pytest.raises(ValueError, match="not aligned with its parents"):
        xr.open_datatree(tmp_path, engine="zarr", consolidated=False)
    assert "not aligned" not in write([1.0, 2.0, 3.0], units="m")
    xr.open_datatree(tmp_path, engine="zarr", consolidated=False)
    # In other units other numbers may be the same places: nothing is said without knowing.
    assert "not aligned" not in write([0.001, 0.002, 0.003], units="km")


@pytest.mark.parametrize("shape", [None, [], [2, 2], "2"])
def test_a_coordinate_above_without_a_length_says_nothing_of_groups(
    shape: object, tmp_path: Path
) -> None:
    xr.Dataset(coords={"x": [1, 2]}).to_zarr(tmp_path, consolidated=False)
    xr.Dataset(coords={"x": [1, 2, 3]}).to_zarr(tmp_path, group="child", consolidated=False)
    document = tmp_path / "x" / "zarr.json"
    document.write_text(json.dumps(json.loads(document.read_text()) | {"shape": shape}))
    report = nz.check(tmp_path, progress=False)
    assert "not aligned" not in report.readers["xarray"].reason
    assert not any(finding.rule == "CF-COORD-003" for finding in report.findings)


@pytest.mark.parametrize(
    ("zarr_format", "document", "member", "rule"),
    [
        (2, ".zarray", {"dimension_separator": "/"}, "Z2-ARR-010"),
        (3, "zarr.json", {"chunk_key_encoding": {"name": "v2"}}, "Z3-CHUNK-005"),
    ],
)
def test_chunks_under_other_keys_are_not_called_missing_as_well(
    tmp_path: Path, zarr_format: Any, document: str, member: dict[str, Any], rule: str
) -> None:
    made = zarr.create_array(
        tmp_path / "a",
        shape=(4, 4),
        chunks=(2, 2),
        dtype="u1",
        compressors=None,
        fill_value=7,
        zarr_format=zarr_format,
        attributes={"_FillValue": 0},
    )
    made[:] = 3
    file = tmp_path / "a" / document
    file.write_text(json.dumps(json.loads(file.read_text()) | member))
    harms = nz.check(tmp_path / "a", values="all", progress=False).by_impact["values"]
    assert [finding.rule for finding in harms] == [rule]


@pytest.mark.parametrize(("groups", "impact"), [(["g"], "blocks"), ([], "convention")])
def test_what_is_wrong_in_a_group_that_netcdf_c_does_not_get_to_does_not_matter_to_it(
    tmp_path: Path, groups: list[str], impact: str
) -> None:
    attributes: dict[str, dict[str, Any]] = {
        "": {
            "_nczarr_superblock": {"version": "2.0.0"},
            "_nczarr_group": {"dimensions": {}, "arrays": [], "groups": groups},
        },
        "g/": {"_nczarr_group": {"dimensions": {"x": 3}, "arrays": ["a"], "groups": []}},
        "g/a/": {"_nczarr_array": {"dimension_references": ["/g/x"], "storage": "chunked"}},
    }
    array = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4"}
    array |= {"compressor": None, "fill_value": 0, "order": "C", "filters": None}
    for path, given in attributes.items():
        (tmp_path / path).mkdir(exist_ok=True)
        kind = "array" if "_nczarr_array" in given else "group"
        document = array if kind == "array" else {"zarr_format": 2}
        (tmp_path / path / f".z{kind}").write_text(json.dumps(document))
        (tmp_path / path / ".zattrs").write_text(json.dumps(given))
    found = nz.check(tmp_path, select=["NCZ-VAR-002"], progress=False).findings
    assert [(one.path, one.impact) for one in found] == [("/g/a", impact)]
    place = f"{tmp_path.as_uri()}#mode=nczarr,file"
    if groups:
        with pytest.raises(OSError, match="Invalid dimension size"):
            netCDF4.Dataset(place)
    else:
        netCDF4.Dataset(place).close()


@pytest.mark.parametrize(
    ("compressor", "told"),
    [(numcodecs.Zlib(), ""), (None, ""), (numcodecs.Blosc(), "plugin for blosc")],
)
def test_users_of_netcdf_c_are_told_of_the_plugin_that_a_codec_needs(
    tmp_path: Path, compressor: Any, told: str
) -> None:
    """Without it older builds show wrong numbers, and newer ones say "undefined filter"."""
    root = zarr.create_group(tmp_path, zarr_format=2)
    root.create_array("a", data=np.arange(3.0), compressors=compressor, attributes=ONE_DIMENSION)
    said = nz.check(tmp_path, progress=False).to_dict()["readers"]["netCDF-C"]
    assert said["opens"] is True
    assert told in said.get("reason", "")
    assert bool(said.get("reason")) is bool(told)


@pytest.mark.parametrize(
    ("fragment", "finds"),
    [("mode=nczarr,file", True), ("zarr", True), ("mode=file", False), ("nczarr,file", False)],
)
def test_users_of_netcdf_c_are_told_of_an_address_by_which_it_finds_nothing(
    fragment: str, finds: bool, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path, zarr_format=2)
    root.create_array("a", data=np.arange(3.0), compressors=None, attributes=ONE_DIMENSION)
    said = nz.check(f"{tmp_path}#{fragment}", progress=False).readers["netCDF-C"]
    assert said.opens is True
    assert ("it finds nothing" in said.reason) is not finds
    place = f"{tmp_path.as_uri()}#{fragment}"
    if finds:
        netCDF4.Dataset(place).close()
    else:
        with pytest.raises(FileNotFoundError):
            netCDF4.Dataset(place)


@pytest.mark.parametrize("stored", [False, True])
def test_netcdf_c_opens_an_array_of_an_unknown_codec_of_which_nothing_is_stored(
    stored: bool, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path, zarr_format=2)
    root.create_array("a", shape=(3,), dtype="f8", compressors=None, attributes=ONE_DIMENSION)
    document = tmp_path / "a" / ".zarray"
    array = json.loads(document.read_text("utf-8")) | {"compressor": {"id": "nobodys"}}
    document.write_text(json.dumps(array), "utf-8")
    if stored:
        (tmp_path / "a" / "0").write_bytes(bytes(24))
    readers = nz.check(tmp_path, progress=False).readers
    assert readers["zarr-python"].opens is False
    assert readers["netCDF-C"].opens is not stored
    with netCDF4.Dataset(f"{tmp_path.as_uri()}#mode=zarr,file") as dataset:
        if stored:
            with pytest.raises(RuntimeError, match="Filter error"):
                dataset["a"][:]
        else:
            assert dataset["a"][:].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("coordinates", "listed", "told"), [((), "", True), (("y", "x"), "", False), ((), "crs", False)]
)
def test_users_of_rioxarray_are_told_where_a_geotransform_is_looked_at(
    coordinates: tuple[str, ...], listed: str, told: bool, tmp_path: Path
) -> None:
    root = zarr.create_group(tmp_path / "s")
    root.create_array(
        "t", shape=(2, 2), dtype="f4", dimension_names=["y", "x"],
        attributes={"grid_mapping": "crs", **({"coordinates": listed} if listed else {})},
    )  # fmt: skip
    root.create_array("crs", shape=(), dtype="i4", attributes={"GeoTransform": "0 5 0 10 0 -5"})
    for name in coordinates:
        root.create_array(name, shape=(2,), dtype="f8", dimension_names=[name])
    said = nz.check(tmp_path / "s", progress=False).to_text()
    assert ('decode_coords="all"' in said.split("\n\n")[0]) is told


@pytest.mark.parametrize("known", [False, True])
def test_of_a_store_that_cannot_be_listed_nothing_is_promised_but_of_what_is_known(
    known: bool,
) -> None:
    documents = contents({"base": "v2"})
    if known:
        metadata = {
            key: json.loads(text) for key, text in documents.items() if Path(key).name[:2] == ".z"
        }
        documents[".zmetadata"] = json.dumps(
            {"zarr_consolidated_format": 1, "metadata": metadata}
        ).encode()
    report = nz.check(FaultyStore(documents, [], listable=False), progress=False)
    one = report.readers["zarr-python"]
    assert one.opens is (True if known else None)
    assert ("cannot be listed" in one.reason) is not known


@pytest.mark.parametrize(("name", "opens"), [("g/n", False), ("/n", False), ("n ", True)])
def test_a_name_of_a_dimension_that_stops_netcdf_alone_stops_no_other(
    name: str, opens: bool, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    group.create_array("a", shape=(2,), dtype="f4").attrs["_ARRAY_DIMENSIONS"] = [name]
    report = nz.check(tmp_path, progress=False)
    assert report.readers["netCDF-C"].blocked_by == (() if opens else ("NZ-DIM-007",))
    assert report.readers["xarray"].opens
    assert [one.impact for one in report.findings if one.rule == "NZ-DIM-007"] == ["advice"]


@pytest.mark.parametrize("top", ["", "a/"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_netcdf_wants_the_folder_in_a_zip_file(tmp_path: Path, top: str, zarr_format: int) -> None:
    """It writes zip files so, and takes the first folder for the dataset; tried with 4.10 and libzip."""
    name = ".zgroup" if zarr_format == 2 else "zarr.json"
    document = {"zarr_format": zarr_format} | ({"node_type": "group"} if zarr_format == 3 else {})
    with ZipFile(tmp_path / "a b.zip", "w") as packed:
        packed.writestr(f"{top}{name}", json.dumps(document))
    address = f"file://{tmp_path}/a b.zip"
    report = nz.check(f"{address}#mode=zarr,zip" if zarr_format == 2 else address, progress=False)
    reason = report.readers["netCDF-C"].reason
    assert ("libzip" in reason) is (zarr_format == 2)
    assert ("by the name of its folder" in reason) is (zarr_format == 2 and not top)
    found = [one for one in report.findings if one.rule == "TREE-009"]
    assert len(found) == len(top) // 2
    for one in found:
        assert ("netCDF-C" in one.message) is (zarr_format == 2)
        assert f"unzip '{tmp_path}/a b.zip';" in (one.fix.note if one.fix else "")


def test_users_of_netcdf4_are_told_that_appending_empties_a_store(tmp_path: Path) -> None:
    address = f"{(tmp_path / 'd.zarr').as_uri()}#mode=nczarr,file"
    with netCDF4.Dataset(address, "w") as dataset:
        dataset.createDimension("x", 3)
        dataset.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]
    assert "empty store" in nz.check(address, progress=False).readers["netCDF-C"].reason
    assert (tmp_path / "d.zarr" / "x").exists()
    with netCDF4.Dataset(address, "a") as dataset:  # it is said of what it really does
        assert not dataset.variables
    assert not (tmp_path / "d.zarr" / "x").exists()

    written = tmp_path / "plain.zarr"
    xr.Dataset({"v": ("x", [1, 2, 3])}).to_zarr(written, zarr_format=2, consolidated=False)
    assert "empty store" not in nz.check(written, progress=False).readers["netCDF-C"].reason
