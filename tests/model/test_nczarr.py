"""What netCDF-C notes beside the Zarr metadata, in each of its ways."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zarr

import nz_explorer as nz
from nz_explorer.model import Array, Group, Hierarchy, Node, dimension_table, open_store
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.nczarr_types import attribute_type
from nz_explorer.store import SourceError
from tests.netcdf.older import as_keys, as_objects, put

DIALECTS = ("attributes", "keys", "upper", "objects")


@pytest.fixture(params=DIALECTS)
def store(request: pytest.FixtureRequest, netcdf_c: Path, tmp_path: Path) -> Path:
    """Return the same dataset in each dialect."""
    source, target = netcdf_c / "everything", tmp_path / request.param
    if request.param == "attributes":
        shutil.copytree(source, target)
    elif request.param == "objects":
        as_objects(source, target)
    else:
        as_keys(source, target, upper=request.param == "upper")
    return target


def arrays(hierarchy: Hierarchy, path: str) -> list[Array]:
    return [child for child in hierarchy.children(path) if isinstance(child, Array)]


def test_dimensions_are_shared_by_their_full_names(store: Path) -> None:
    hierarchy = open_store(store)
    table = {d.name: d for d in dimension_table(arrays(hierarchy, "/g1"))}
    assert {name: d.reference for name, d in table.items()} == {
        "y": "/y",
        "lon": "/g1/lon",
        "records": "/g1/records",
        "x": "/x",
    }
    assert [name for name, d in table.items() if d.unlimited] == ["records"]
    root = {d.name: d for d in dimension_table(arrays(hierarchy, "/"))}
    assert root["time"].unlimited
    assert not root["x"].unlimited


def test_a_group_declares_what_nothing_uses(store: Path) -> None:
    notes = nczarr.group_notes(open_store(store).root)
    assert notes is not None
    assert {d.name: (d.size, d.unlimited) for d in notes.dimensions.values()} == {
        "time": (4, True),
        "x": (3, False),
        "y": (2, False),
        "unused": (7, False),
    }


def test_scalars_have_no_dimensions(store: Path) -> None:
    scalar = open_store(store)["/scalar"]
    assert isinstance(scalar, Array)
    assert (scalar.shape, scalar.chunk_shape, scalar.dimension_names) == ((), (), ())
    assert scalar.stored_shape == (1,)


def test_names_come_from_the_references_where_xarray_has_none(store: Path) -> None:
    file = store / "g1" / "pos" / ".zattrs"
    document = open_store(store)["/g1/pos"].document(".zattrs")
    assert document is not None
    value = {k: v for k, v in document.value.items() if k != "_ARRAY_DIMENSIONS"}
    put(file, value)
    array = open_store(store)["/g1/pos"]
    assert isinstance(array, Array)
    assert array.dimension_names == ("y", "lon")
    assert array.dimension_names_source == "nczarr"


def test_attributes_have_their_types(store: Path) -> None:
    types = nczarr.attribute_types(open_store(store)["/v_i2"])
    assert {types[name] for name in ("_FillValue", "one", "many", "most")} == {"int16"}
    root = open_store(store).root
    typed = nczarr.typed_attributes(root)
    assert typed["title"] == "All of it"
    assert typed["number"] == "5"
    assert typed["json"] == '{"a": 1, "b": [1,2]}'
    assert typed["several_strings"] == ["one", 'two "q"']
    assert typed["floats_f4"].dtype == "float32"


def test_the_lists_of_netcdf_c_drive_the_walk_where_nothing_can_be_listed(
    store: Path, http_server: Callable[..., Any]
) -> None:
    here = {node.path: node.kind for node in open_store(store).walk()}
    there = open_store(http_server(store).url)
    assert {node.path: node.kind for node in there.walk()} == here
    root = there.root
    assert isinstance(root, Group)
    assert root.listing_problem is not None
    assert "netCDF-C noted" in root.listing_problem


def test_pure_zarr_over_http_is_read_by_path_only(
    netcdf_c: Path, http_server: Callable[..., Any]
) -> None:
    hierarchy = open_store(http_server(netcdf_c / "pure").url)
    assert [node.path for node in hierarchy.walk()] == ["/"]
    assert "/g1/pos" in hierarchy


def test_names_in_the_lists_lead_nowhere_else(
    tmp_path: Path, http_server: Callable[..., Any]
) -> None:
    names = ["..", "a/../../secret", "", ".", "a"]
    put(tmp_path / "secret" / ".zarray", {"zarr_format": 2, "shape": [], "dtype": "<i4"})
    put(tmp_path / "s" / ".zgroup", {"zarr_format": 2})
    put(tmp_path / "s" / ".zattrs", {"_nczarr_group": {"arrays": names, "groups": names}})
    put(tmp_path / "s" / "a" / ".zarray", {"zarr_format": 2, "shape": [], "dtype": "<i4"})
    server = http_server(tmp_path)
    hierarchy = open_store(f"{server.url}/s")
    assert [node.path for node in hierarchy.walk()] == ["/", "/a"]


def test_a_name_that_is_listed_twice_is_one_node() -> None:
    notes = nczarr.GroupNotes(
        nczarr.Place("attributes", "", {"arrays": ["a", "a", "b"], "groups": ["b"]})
    )
    assert notes.children == ("a", "b")


BROKEN: dict[str, tuple[str, Any]] = {
    "group is text": (".zattrs", {"_nczarr_group": "text"}),
    "dimensions are a list": (".zattrs", {"_nczarr_group": {"dimensions": ["x"], "arrays": 5}}),
    "superblock is a list": (".zattrs", {"_nczarr_superblock": []}),
    "types are a number": (".zattrs", {"_nczarr_attr": {"types": 5}}),
    "references are an object": ("a/.zattrs", {"_nczarr_array": {"dimension_references": {}}}),
    "array is null": ("a/.zattrs", {"_nczarr_array": None}),
    "scalar of many": ("a/.zattrs", {"_nczarr_array": {"scalar": 1, "dimension_references": []}}),
    "key in the group": (".zgroup", {"zarr_format": 2, "_NCZARR_GROUP": 3.5}),
    "object of the group": (".nczgroup", ["text"]),
    "object of the array": ("a/.nczarray", {"dimrefs": [None, {}]}),
    "object of attributes": ("a/.nczattrs", {"types": {"units": {}}}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_errors_beside_never_hide_an_array(tmp_path: Path, name: str) -> None:
    key, document = BROKEN[name]
    base: dict[str, Any] = {"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "dtype": "<f4"}
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    put(tmp_path / ".nczarr", {"nczarr_version": "1.0.0"})
    put(
        tmp_path / "a" / ".zarray",
        {**base, "compressor": None, "filters": None, "fill_value": 0, "order": "C"},
    )
    put(tmp_path / key, document)
    array = open_store(tmp_path)["/a"]
    assert isinstance(array, Array)
    assert array.state == "ok"
    assert array.shape == (2, 3)
    report = nz.check(tmp_path, progress=False)
    told = [finding.rule for finding in report.findings]
    assert any(rule.startswith(("NCZ-", "JSON-")) and rule != "NCZ-ERA-002" for rule in told)
    assert not any(entry.reason.startswith("internal") for entry in report.not_evaluated)


def test_an_object_beside_that_cannot_be_read_is_a_finding_and_no_more(tmp_path: Path) -> None:
    from tests.corpus.cases import FaultyStore

    keys = {
        ".zgroup": b'{"zarr_format": 2}',
        ".nczarr": b'{"nczarr_version": "1.0.0"}',
        "a/.zarray": b'{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "fill_value": 0, "order": "C", "compressor": null, "filters": null}',
        "a/.nczarray": b'{"dimrefs": ["/x"]}',
        "a/.zattrs": b"{}",
    }
    source = FaultyStore(keys, ["a/.nczarray"], True)
    array = open_store(source)["/a"]
    assert isinstance(array, Array)
    assert (array.state, array.shape) == ("ok", (2,))
    report = nz.check(FaultyStore(keys, ["a/.nczarray"], True), progress=False)
    assert [f.path for f in report.findings if f.rule == "TREE-007"] == ["/a"]


@pytest.mark.parametrize(
    ("spelled", "strings", "meaning"),
    [
        ("<i1", True, "int8"),
        (">u8", True, "uint64"),
        ("<f4", True, "float32"),
        (">S1", True, "char"),
        ("|S1", True, "string"),
        ("|S1", False, "char"),
        ("<U1", False, "char"),
        ("|S128", True, "string"),
        ("|J0", True, "json"),
        ("|J1", True, None),
        ("<f2", True, None),
        ("<c8", True, None),
        ("char", True, None),
        (5, True, None),
    ],
)
def test_types_of_attributes(spelled: Any, strings: bool, meaning: str | None) -> None:
    assert attribute_type(spelled, strings=strings) == meaning


def test_dimensions_as_the_next_version_lists_them(tmp_path: Path) -> None:
    noted = {
        "dimensions": [{"name": "x", "size": 3, "unlimited": 1}],
        "arrays": [],
        "subgroups": ["g"],
    }
    put(
        tmp_path / "zarr.json",
        {"zarr_format": 3, "node_type": "group", "attributes": {"_nczarr_group": noted}},
    )
    notes = nczarr.group_notes(open_store(tmp_path).root)
    assert notes is not None
    assert notes.dimensions["x"].unlimited
    assert notes.dimensions["x"].pointer == "/attributes/_nczarr_group/dimensions/0"
    assert notes.groups == ("g",)


def test_marks_of_a_dataset(tmp_path: Path) -> None:
    def root(**attributes: Any) -> Node:
        put(tmp_path / ".zgroup", {"zarr_format": 2})
        put(tmp_path / ".zattrs", attributes)
        return open_store(tmp_path).root

    assert nczarr.is_marked(root(_NCProperties="version=2,netcdf=4.10.1,nczarr=2.0.0"))
    assert not nczarr.is_marked(root(_NCProperties="version=2,netcdf=4.9.2,hdf5=1.14.0"))
    assert not nczarr.is_marked(root(Conventions="CF-1.10"))
    assert (
        nczarr.library_version(root(_NCProperties="version=2,netcdf=4.10.1,nczarr=2.0.0"))
        == "4.10.1"
    )


@pytest.mark.parametrize(
    ("modes", "names"),
    [
        ("nczarr,file", ("lat", "lon")),
        ("nczarr,noxarray,file", None),
        ("xarray,file", ("y", "x")),
        ("zarr,file", ("y", "x")),
        ("zarr,noxarray,file", None),
    ],
)
def test_the_mode_of_the_address_says_whose_names_are_meant(
    tmp_path: Path, modes: str, names: tuple[str, ...] | None
) -> None:
    array = zarr.create_group(tmp_path, zarr_format=2).create_array("a", shape=(2, 3), dtype="f4")
    notes = {"dimension_references": ["/lat", "/lon"], "storage": "chunked"}
    array.update_attributes({"_ARRAY_DIMENSIONS": ["y", "x"], "_nczarr_array": notes})
    found = open_store(f"{tmp_path.as_uri()}#mode={modes}")["/a"]
    assert isinstance(found, Array)
    assert found.dimension_names == names


def test_a_folder_is_no_zip_file(tmp_path: Path) -> None:
    zarr.create_group(tmp_path, zarr_format=2)
    with pytest.raises(SourceError, match="mode zip is for zip files"):
        open_store(f"{tmp_path.as_uri()}#mode=nczarr,zip")


def test_notes_that_only_netcdf_c_4_8_0_read_stop_no_later_version(
    netcdf_c: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    as_objects(netcdf_c / "everything", store)
    document = store / ".nczgroup"
    document.write_text(json.dumps(json.loads(document.read_text()) | {"dims": {"x": "3"}}))
    attributes = json.loads((store / ".zattrs").read_text(), strict=False)
    # numbers and "NaN" in one list, at which 4.10 crashes without their types, of which it does not look at those of 4.8.0
    kept = {key: value for key, value in attributes.items() if not key.startswith("floats_")}
    (store / ".zattrs").write_text(json.dumps(kept))
    assert opened(store) is not None
    report = nz.check(store, progress=False)
    broken = {finding.rule: finding.impact for finding in report.findings}
    assert broken["NCZ-GRP-001"] == broken["NCZ-VAR-002"] == "convention"
    assert report.readers["netCDF-C"].opens


@pytest.mark.parametrize(
    ("member", "given", "rule", "impact"),
    [
        ("arrays", 3, "NCZ-GRP-001", "values"),
        ("arrays", {}, "NCZ-GRP-001", "values"),
        ("arrays", [1], "NCZ-GRP-001", "blocks"),
        ("groups", "g1", "NCZ-GRP-001", "values"),
        ("groups", [3], "NCZ-GRP-001", "values"),
        ("groups", {"g1": {}}, "NCZ-GRP-001", "blocks"),
        ("groups", {"g1": 3}, "NCZ-GRP-001", "convention"),
        ("groups", ["g1", 3, 1.5, True], "NCZ-GRP-001", "convention"),
        ("groups", ["g1", None], "NCZ-GRP-001", "blocks"),
        ("groups", [["g1"]], "NCZ-GRP-001", "blocks"),
        ("groups", ["g1", "g2/deeper"], "NCZ-GRP-002", "blocks"),
        ("groups", ["g1", ""], "NCZ-GRP-002", "blocks"),
        ("dimensions", {"x": {"size": "3"}}, "NCZ-GRP-001", "convention"),
        ("dimensions", {"x": {"size": 3.0}}, "NCZ-GRP-001", "convention"),
        ("dimensions", {"x": 3, "p ": 2}, "NCZ-GRP-001", "blocks"),
        ("dimensions", {"x": 3, "p" * 257: 2}, "NCZ-GRP-001", "blocks"),
    ],
)
def test_what_netcdf_c_makes_of_malformed_notes(
    member: str, given: object, rule: str, impact: str, tmp_path: Path
) -> None:
    put_small(tmp_path, {member: given})
    report = nz.check(tmp_path, progress=False)
    found = next(finding for finding in report.findings if finding.rule == rule)
    assert found.impact == impact
    names = opened(tmp_path)
    assert (names is None) is (impact == "blocks") is not report.readers["netCDF-C"].opens
    if names is not None:
        assert (not {"/a", "/g1"} <= set(names)) is (impact == "values")


def test_python_stops_at_a_group_that_netcdf_c_has_twice(netcdf_c: Path, tmp_path: Path) -> None:
    shutil.copytree(netcdf_c / "everything", tmp_path / "store")
    document = tmp_path / "store" / ".zattrs"
    attributes = json.loads(document.read_text(), strict=False)  # netCDF-C does not escape
    attributes["_nczarr_group"]["groups"] = ["g1", "g1"]
    document.write_text(json.dumps(attributes))
    report = nz.check(tmp_path / "store", progress=False)
    found = next(finding for finding in report.findings if finding.rule == "NCZ-GRP-002")
    assert found.impact == "blocks"
    assert not report.readers["netCDF-C"].opens


@pytest.mark.parametrize(
    ("lost", "opens"),
    [("_nczarr_array", False), ("_nczarr_group", True), ("_nczarr_superblock", True)],
)
def test_objects_of_netcdf_c_4_8_0_stand_in_for_nothing(
    lost: str, opens: bool, tmp_path: Path
) -> None:
    put_small(tmp_path, {})
    put(tmp_path / ".nczarr", {"zarr_format": 2, "nczarr_version": "1.0.0"})
    put(tmp_path / ".nczgroup", {"dims": {"x": 3}, "vars": ["a"], "groups": ["g1"]})
    put(tmp_path / "a/.nczarray", {"dimrefs": ["/x"], "storage": "chunked"})
    document = tmp_path / ("a/.zattrs" if lost == "_nczarr_array" else ".zattrs")
    attributes = json.loads(document.read_text())
    del attributes[lost]
    document.write_text(json.dumps(attributes))
    report = nz.check(tmp_path, progress=False)
    assert report.readers["netCDF-C"].opens is opens is (opened(tmp_path) is not None)


def test_what_netcdf_c_noted_counts_for_nothing_without_a_superblock(tmp_path: Path) -> None:
    put_small(tmp_path, {"arrays": ["a", "gone"], "dimensions": {}})
    document = tmp_path / ".zattrs"
    attributes = json.loads(document.read_text())
    del attributes["_nczarr_superblock"]
    document.write_text(json.dumps(attributes))
    report = nz.check(tmp_path, progress=False)
    broken = {finding.rule: finding.impact for finding in report.findings}
    assert broken["NCZ-GRP-002"] == broken["NCZ-VAR-002"] == "convention"
    assert report.readers["netCDF-C"].opens
    assert opened(tmp_path) == ["/a", "/g1"]


def test_an_array_that_is_not_listed_stops_nothing(tmp_path: Path) -> None:
    put_small(tmp_path, {"arrays": [], "dimensions": {}})
    report = nz.check(tmp_path, progress=False)
    broken = {finding.rule: finding.impact for finding in report.findings}
    assert broken["NCZ-VAR-002"] == "convention"
    assert report.readers["netCDF-C"].opens
    assert opened(tmp_path) == ["/g1"]


def put_small(store: Path, notes: dict[str, object]) -> None:
    """Write an array and an empty group as netCDF-C does, with other notes of the root."""
    group = {"dimensions": {"x": 3}, "arrays": ["a"], "groups": ["g1"]} | notes
    put(store / ".zgroup", {"zarr_format": 2})
    put(
        store / ".zattrs",
        {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": group},
    )
    put(store / "g1/.zgroup", {"zarr_format": 2})
    put(
        store / "g1/.zattrs",
        {"_nczarr_group": {"dimensions": {}, "arrays": [], "groups": []}},
    )
    metadata = {"shape": [3], "chunks": [3], "dtype": "<f4", "fill_value": -1.0, "order": "C"}
    put(
        store / "a/.zarray",
        {"zarr_format": 2, "compressor": None, "filters": None} | metadata,
    )
    put(
        store / "a/.zattrs",
        {
            "_ARRAY_DIMENSIONS": ["x"],
            "_nczarr_array": {"dimension_references": ["/x"], "storage": "chunked"},
        },
    )


def opened(store: Path) -> list[str] | None:
    """Return what netCDF-C finds in the root, None where it refuses the dataset, in a process of its own."""
    program = (
        "import sys, netCDF4\n"
        "d = netCDF4.Dataset(sys.argv[1])\n"
        "groups = [group.path for group in d.groups.values()]\n"
        "print(*sorted([f'/{name}' for name in d.variables] + groups))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, f"{store.as_uri()}#mode=nczarr,file"],
        capture_output=True,
        text=True,
        check=False,
    )
    return None if found.returncode else found.stdout.split()
