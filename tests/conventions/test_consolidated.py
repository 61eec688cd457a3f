"""Stale, ghost and missing consolidated entries: found, named, fixed – and read by others as they are."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray
import zarr
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.conventions import evaluate

CONS = {"NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004"}


def _write(folder: Path, zarr_format: int) -> xarray.Dataset:
    data = xarray.Dataset(
        {"a": ("x", [1.0, 2.0], {"units": "m"}), "b": (("x", "y"), [[3.0, 4.0, 5.0]] * 2)},
        {"x": [0, 1], "y": [10, 20, 30]},
        {"title": "T"},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # consolidated metadata are not in the specification of v3
        data.to_zarr(folder, zarr_format=zarr_format, consolidated=True)
    return data


def _entries(folder: Path, zarr_format: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the consolidated entries alone."""
    file = folder / ("zarr.json" if zarr_format == 3 else ".zmetadata")
    document = json.loads(file.read_text("utf-8"))
    change(
        document["consolidated_metadata"]["metadata"] if zarr_format == 3 else document["metadata"]
    )
    file.write_text(json.dumps(document), "utf-8")


def _damage(folder: Path, zarr_format: int) -> None:
    """Make the entry of a stale, that of y a ghost's, and leave b out."""

    def v3(entries: dict[str, Any]) -> None:
        entries["a"]["attributes"]["units"] = "km"
        entries["a"]["shape"] = [1]
        entries["ghost"] = entries["y"]
        del entries["b"]

    def v2(entries: dict[str, Any]) -> None:
        entries["a/.zattrs"]["units"] = "km"
        entries["a/.zarray"]["shape"] = [1]
        for name in (".zarray", ".zattrs"):
            entries[f"ghost/{name}"] = entries[f"y/{name}"]
            del entries[f"b/{name}"]

    _entries(folder, zarr_format, v3 if zarr_format == 3 else v2)


def _by_hand(folder: Path) -> None:
    evaluation = evaluate(nz.open_store(folder, mode="r+"), select=["NZ-CONS"])
    evaluation.run()
    what_if = nz.WhatIf(evaluation)
    for finding in evaluation.findings():
        what_if.apply(finding)
    nz.apply(what_if).write()


def _by_command(folder: Path) -> None:
    done = CliRunner().invoke(main, ["fix", str(folder), "--yes", "--select", "NZ-CONS"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("zarr_format", [3, 2])
def test_each_is_named_with_what_differs(tmp_path: Path, zarr_format: int) -> None:
    folder = tmp_path / "s.zarr"
    _write(folder, zarr_format)
    assert not [f for f in nz.check(folder, progress=False).findings if f.rule in CONS]
    _damage(folder, zarr_format)
    found = [f for f in nz.check(folder, progress=False).findings if f.rule in CONS]
    places = {(f.rule, f.path, f.pointer) for f in found}
    attributes = "/attributes" if zarr_format == 3 else "/.zattrs"
    members = "" if zarr_format == 3 else "/.zarray"
    assert {("NZ-CONS-003", "/b", ""), ("NZ-CONS-004", "/ghost", "")} <= places
    stale = [f for f in found if f.rule == "NZ-CONS-002"]
    assert {f.path for f in stale} == {"/a"}
    told = " ".join(f.message for f in stale)
    assert f"{attributes}/units" in told
    assert f"{members}/shape/0" in told or f"{members}/shape" in told
    assert '"km" instead of "m"' in told or "1 instead of 2" in told


@pytest.mark.parametrize("zarr_format", [3, 2])
@pytest.mark.parametrize("fix", [_by_hand, _by_command])
def test_fixed_it_is_read_as_it_is(
    tmp_path: Path, zarr_format: int, fix: Callable[[Path], None]
) -> None:
    folder = tmp_path / "s.zarr"
    data = _write(folder, zarr_format)
    _damage(folder, zarr_format)
    assert sorted(zarr.open_group(str(folder), mode="r").array_keys()) == ["a", "ghost", "x", "y"]
    with pytest.raises(ValueError, match="conflicting sizes"):
        xarray.open_zarr(folder, consolidated=True)
    fix(folder)
    assert not [f for f in nz.check(folder, progress=False).findings if f.rule in CONS]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        group = zarr.open_consolidated(str(folder), zarr_format=zarr_format)
        assert sorted(group.array_keys()) == ["a", "b", "x", "y"]
        assert group["a"].shape == (2,)
        for consolidated in (True, False):
            with xarray.open_zarr(folder, consolidated=consolidated) as opened:
                xarray.testing.assert_identical(opened.load(), data)


def _nested(folder: Path, zarr_format: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = zarr.open_group(str(folder), mode="w", zarr_format=zarr_format)
        for path in ("x", "g/v", "g/h/w"):
            root.create_array(path, shape=(2,), dtype="i4")
        zarr.consolidate_metadata(str(folder), zarr_format=zarr_format)
    return ["/g", "/g/h", "/g/h/w", "/g/v"]


@pytest.mark.parametrize("zarr_format", [3, 2])
@pytest.mark.parametrize("rule", ["NZ-CONS-003", "NZ-CONS-004"])
def test_each_fix_alone_leaves_what_zarr_opens(tmp_path: Path, zarr_format: int, rule: str) -> None:
    """zarr-python opens nothing where there is the entry of a node and none of its group."""
    for path in _nested(tmp_path / "whole", zarr_format):
        folder = tmp_path / path.replace("/", "-")
        shutil.copytree(tmp_path / "whole", folder)
        if rule == "NZ-CONS-003":  # written after the metadata were consolidated
            _entries(folder, zarr_format, _forget_g)
        else:
            shutil.rmtree(folder / "g")
        hierarchy = nz.open_store(folder, mode="r+")
        found = nz.check(hierarchy, progress=False, select=["NZ-CONS", "Z3-CM"]).findings
        assert {f.rule for f in found} == {rule}
        nz.apply([f for f in found if f.path == path], hierarchy).write()
        after = nz.check(folder, progress=False, select=["NZ-CONS", "Z3-CM"]).findings
        assert path not in {f.path for f in after}
        assert {f.rule for f in after} <= {rule}
        zarr.open_consolidated(str(folder), zarr_format=zarr_format)
        nz.apply(after, nz.open_store(folder, mode="r+")).write()
        assert nz.check(folder, progress=False, select=["NZ-CONS", "Z3-CM"]).findings == []


def test_a_ghost_of_a_group_below_the_root_goes_with_what_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "s.zarr"
    _nested(folder, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(str(folder), path="g", zarr_format=3)
    shutil.rmtree(folder / "g" / "h")
    hierarchy = nz.open_store(folder, mode="r+")
    found = nz.check(hierarchy, progress=False, select=["NZ-CONS-004"]).findings
    nz.apply([f for f in found if f.path == "/g"], hierarchy).write()
    document = json.loads((folder / "g" / "zarr.json").read_text("utf-8"))
    assert list(document["consolidated_metadata"]["metadata"]) == ["v"]


def _forget_g(entries: dict[str, Any]) -> None:
    for key in [key for key in entries if key.split("/")[0] == "g"]:
        del entries[key]


def test_the_entries_of_the_root_are_compared_if_nothing_else_is_asked_for(tmp_path: Path) -> None:
    _write(tmp_path, 2)
    _entries(tmp_path, 2, lambda entries: entries[".zattrs"].update(title="other"))
    report = nz.check(tmp_path, progress=False, select=["NZ-CONS-006"])
    assert [finding.rule for finding in report.findings] == ["NZ-CONS-006"]


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_large_metadata_of_a_group_are_compared_too(tmp_path: Path) -> None:
    """Documents above some size are decoded only where they are looked at."""
    root = zarr.open_group(tmp_path, mode="w")
    group = root.create_group("g")
    for n in range(100):
        group.create_array(f"a{n}", shape=(1,), dtype="u1", dimension_names=("x",))
    zarr.consolidate_metadata(tmp_path / "g")
    assert (tmp_path / "g" / "zarr.json").stat().st_size > 2**15
    document = json.loads((tmp_path / "g" / "a7" / "zarr.json").read_text())
    (tmp_path / "g" / "a7" / "zarr.json").write_text(json.dumps(document | {"shape": [2]}))
    shutil.rmtree(tmp_path / "g" / "a9")
    found = nz.check(tmp_path, select=["NZ-CONS-002", "NZ-CONS-004"], progress=False).findings
    assert {(one.rule, one.path) for one in found} == {
        ("NZ-CONS-002", "/g/a7"),
        ("NZ-CONS-004", "/g"),
    }


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_document_that_readers_refuse_is_not_copied_into_the_entry_that_they_read(
    tmp_path: Path, zarr_format: int
) -> None:
    _write(tmp_path, zarr_format)
    file = tmp_path / "b" / ("zarr.json" if zarr_format == 3 else ".zarray")
    document = json.loads(file.read_text("utf-8"))
    if zarr_format == 3:
        document["codecs"] = 1
    else:
        document["shape"] = ["x"]
    file.write_text(json.dumps(document), "utf-8")
    evaluation = evaluate(nz.open_store(tmp_path), select=["NZ-CONS"])
    evaluation.run()
    (stale,) = (found for found in evaluation.findings() if found.rule == "NZ-CONS-002")
    fix = stale.fix
    assert (fix.safety, fix.patch) == ("suggest", ())
    assert fix.note.startswith(f"mend b/{file.name} first")


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("member", "given"),
    [
        ("order", "X"),
        ("fill_value", ...),
        ("dimension_separator", "-"),
        ("zarr_format", 3),
        ("_ARRAY_DIMENSIONS", ...),
    ],
)
def test_safe_fixes_leave_what_readers_open_by_the_entries(
    tmp_path: Path, member: str, given: Any, listed: bool
) -> None:
    """What is given here as an ellipsis is left out."""
    _write(tmp_path, 2)
    file = tmp_path / "b" / (".zattrs" if member.startswith("_") else ".zarray")
    document = json.loads(file.read_text("utf-8")) | {member: given}
    if given is ...:
        del document[member]
    file.write_text(json.dumps(document), "utf-8")

    def without(entries: dict[str, Any]) -> None:
        del entries["b/.zarray"], entries["b/.zattrs"]

    if not listed:
        _entries(tmp_path, 2, without)
    before = sorted(xarray.open_zarr(tmp_path, consolidated=True).variables)
    found = nz.check(tmp_path, select=["NZ-CONS"], progress=False).findings
    if listed or not member.startswith("_"):
        assert [finding.fix.safety for finding in found] == ["suggest"]
        CliRunner().invoke(main, ["fix", str(tmp_path), "--yes", "--select", "NZ-CONS"])
    assert sorted(xarray.open_zarr(tmp_path, consolidated=True).variables) == before


@pytest.mark.parametrize(("path", "safeties"), [("b", ["suggest"]), ("", ["unsafe", "suggest"])])
def test_attributes_that_only_the_entry_has_can_be_written_again(
    tmp_path: Path, path: str, safeties: list[str]
) -> None:
    """Without the entry there would be no names of dimensions either."""
    _write(tmp_path, 2)
    zarr.open_group(tmp_path, mode="r+", use_consolidated=False).create_group(
        "g", attributes={"k": 1}
    )
    zarr.consolidate_metadata(tmp_path, zarr_format=2)
    file = tmp_path / (path or "g") / ".zattrs"
    before = json.loads(file.read_text("utf-8"))
    file.unlink()
    hierarchy = nz.open_store(tmp_path, mode="r+")
    (found,) = nz.check(hierarchy, select=["NZ-CONS-002"], progress=False).findings
    assert [fix.safety for fix in found.fixes] == safeties
    nz.apply([found.fixes[-1]], hierarchy).write()
    assert json.loads(file.read_text("utf-8")) == before
    assert not nz.check(tmp_path, select=["NZ-CONS"], progress=False).findings


@pytest.mark.parametrize(
    ("path", "rule", "is_lost", "has_entries", "safety"),
    [
        ("", "NZ-DECL-001", True, True, "suggest"),
        ("b", "Z2-OGC-002", True, True, "suggest"),
        ("s", "Z2-OGC-002", True, True, "suggest"),
        ("", "NZ-DECL-001", False, True, "safe"),
        ("s", "Z2-OGC-002", True, False, "safe"),
    ],
)
def test_no_fix_takes_attributes_from_the_entry_that_alone_has_them(
    tmp_path: Path, path: str, rule: str, is_lost: bool, has_entries: bool, safety: str
) -> None:
    """A fix that made .zattrs with one attribute wrote that over all that the entry had left."""
    data = _write(tmp_path, 2).assign(s=((), 0, {"earth_radius": 6371229.0}))
    data.to_zarr(tmp_path, mode="w", zarr_format=2, consolidated=has_entries)
    file = tmp_path / path / ".zattrs"
    before = json.loads(file.read_text("utf-8"))
    if is_lost:
        file.unlink()
    hierarchy = nz.open_store(tmp_path, mode="r+")
    report = nz.check(hierarchy, progress=False)
    (found,) = (one for one in report.findings if (one.rule, one.path) == (rule, f"/{path}"))
    assert found.fix is not None
    assert found.fix.safety == safety
    nz.apply([found], hierarchy).write()
    after = json.loads(file.read_text("utf-8"))
    assert not nz.check(tmp_path, select=["NZ-CONS", rule], progress=False).findings
    if has_entries:
        assert after == {**after, **before}
        entries = json.loads((tmp_path / ".zmetadata").read_text("utf-8"))["metadata"]
        assert entries[f"{path}/.zattrs".removeprefix("/")] == after


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_names_that_the_entry_still_has_are_not_made_up(tmp_path: Path, zarr_format: int) -> None:
    _write(tmp_path, zarr_format)
    name, member = (
        (".zattrs", "_ARRAY_DIMENSIONS") if zarr_format == 2 else ("zarr.json", "dimension_names")
    )
    file = tmp_path / "b" / name
    before = json.loads(file.read_text("utf-8"))
    left = {key: value for key, value in before.items() if key != member}
    file.write_text(json.dumps(left), "utf-8")
    for array in ("a", "x", "y"):  # whose names would be taken
        shutil.rmtree(tmp_path / array)
    hierarchy = nz.open_store(tmp_path, mode="r+")
    rule = "Z2-OGC-002" if zarr_format == 2 else "NZ-DIM-001"
    report = nz.check(hierarchy, progress=False)
    (found,) = (finding for finding in report.findings if finding.rule == rule)
    nz.apply([found], hierarchy).write()
    assert json.loads(file.read_text("utf-8")) == before


def test_attributes_are_copied_where_readers_refuse_the_document_beside_them(
    tmp_path: Path,
) -> None:
    _write(tmp_path, 2)
    for name, more in ((".zarray", {"order": "X"}), (".zattrs", {"units": "km"})):
        file = tmp_path / "b" / name
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | more), "utf-8")
    found = nz.check(tmp_path, select=["NZ-CONS-002"], progress=False).findings
    assert {finding.pointer: finding.fix.safety for finding in found} == {
        "/.zarray/order": "suggest",
        "/.zattrs/units": "safe",
    }


def test_the_document_of_a_group_is_written_as_its_entry_says(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.create_group(tmp_path, attributes={"conventions": "NZ-1.0"})
        inner = group.create_group("g", attributes={"title": "T"})
        inner.create_array("a", shape=(), dtype="float64", dimension_names=[])[...] = 1.0
        zarr.consolidate_metadata(tmp_path)
    (tmp_path / "g" / "zarr.json").unlink()
    found = {finding.rule: finding for finding in nz.check(tmp_path, progress=False).findings}

    # without the entry, readers of consolidated metadata would not find what lies below
    assert not found["NZ-CONS-004"].fixes

    nz.apply([found["TREE-002"]], nz.open_store(tmp_path, mode="r+")).write()
    assert zarr.open_group(tmp_path, mode="r", use_consolidated=False)["g"].attrs["title"] == "T"
    rules = {finding.rule for finding in nz.check(tmp_path, progress=False).findings}
    assert not rules & {"NZ-CONS-002", "NZ-CONS-004", "TREE-002"}


@pytest.mark.parametrize("lost", [("g",), ("g", "g/a")])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_group_that_a_fix_creates_is_in_the_consolidated_metadata_too(
    tmp_path: Path, zarr_format: int, lost: tuple[str, ...]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.create_group(tmp_path, zarr_format=zarr_format)  # type: ignore[arg-type]
        group.create_array("g/a", shape=(), dtype="float64")[...] = 1.0
        zarr.consolidate_metadata(tmp_path)
    name = ".zgroup" if zarr_format == 2 else "zarr.json"
    (tmp_path / "g" / name).unlink()
    for attributes in tmp_path.glob("g/.zattrs"):
        attributes.unlink()

    def without(entries: dict[str, Any]) -> None:
        for path in lost:
            for name in ("", "/.zgroup", "/.zattrs", "/.zarray"):
                entries.pop(path + name, None)

    _entries(tmp_path, zarr_format, without)
    before = nz.check(tmp_path, progress=False).findings
    fixed = [finding for finding in before if finding.rule == "TREE-002"]

    nz.apply(fixed, nz.open_store(tmp_path, mode="r+")).write()

    after = {finding.rule for finding in nz.check(tmp_path, progress=False).findings}
    assert fixed
    assert "TREE-002" not in after
    assert not after & CONS
    assert "a" in zarr.open_group(tmp_path, mode="r", use_consolidated=True)["g"]


@pytest.mark.parametrize("key", ["/a", "a/", "a/zarr.json", "/a/zarr.json"])
def test_an_entry_gets_the_key_that_readers_know(key: str, tmp_path: Path) -> None:
    zarr.create_group(tmp_path).create_array("a", shape=(2,), dtype="i4", dimension_names=["x"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(tmp_path)
    document = tmp_path / "zarr.json"
    raw = json.loads(document.read_text())
    entries = raw["consolidated_metadata"]["metadata"]
    entries[key] = entries.pop("a")
    document.write_text(json.dumps(raw))
    with pytest.raises(Exception, match=r".*"):
        zarr.open_group(tmp_path, mode="r")["a"]
    (found,) = nz.check(tmp_path, select=["Z3-CM-002"], progress=False).findings
    nz.apply([found], nz.open_store(tmp_path, mode="r+")).write()
    assert zarr.open_group(tmp_path, mode="r")["a"].shape == (2,)
    assert not nz.check(tmp_path, select=["Z3-CM", "NZ-CONS"], progress=False).findings


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("group", ["", "g"])
def test_each_fix_alone_leaves_one_length_for_xarray(
    tmp_path: Path, zarr_format: int, group: str
) -> None:
    """Of arrays that have all grown since the metadata were consolidated."""
    store = tmp_path / "store"
    names = {name: ("t", [1.0, 2.0]) for name in ("a", "b", "c")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        xarray.Dataset(names).to_zarr(  # type: ignore[call-overload]
            store, group=group or None, zarr_format=zarr_format, consolidated=False
        )
        zarr.consolidate_metadata(str(store))
        for name in names:
            zarr.open_array(store / group / name).resize((5,))
        added = zarr.open_group(store / group, mode="r+", use_consolidated=False).create_array(
            "d", shape=(5,), dtype="f8", dimension_names=["t"] if zarr_format == 3 else None
        )
        if zarr_format == 2:
            added.attrs["_ARRAY_DIMENSIONS"] = ["t"]
    found = nz.check(store, select=["NZ-CONS"], progress=False).findings
    assert [finding.rule for finding in found].count("NZ-CONS-002") == len(names)
    assert "NZ-CONS-003" in [finding.rule for finding in found]
    for number, finding in enumerate(found):
        copy = Path(shutil.copytree(store, tmp_path / str(number)))
        nz.apply([finding], nz.open_store(copy, mode="r+")).write()
        with xarray.open_zarr(copy, group=group or None, consolidated=True) as ds:
            assert ds.sizes == {"t": 5}
        assert not nz.check(copy, select=["NZ-CONS-002", "NZ-DIM"], progress=False).findings


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("listed", [True, False])
def test_a_length_that_others_do_not_have_is_not_safely_copied(
    tmp_path: Path, zarr_format: int, listed: bool
) -> None:
    """By the entries xarray opens what it does not open by the documents; other attributes change nothing of that."""
    names = {name: ("t", [1.0, 2.0]) for name in ("a", "b")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        xarray.Dataset(names).to_zarr(tmp_path, zarr_format=zarr_format, consolidated=False)  # type: ignore[call-overload]
        zarr.consolidate_metadata(str(tmp_path))
        zarr.open_array(tmp_path / "a").resize((5,))
    if not listed:
        prefix = "a" if zarr_format == 3 else "a/"

        def without(entries: dict[str, Any]) -> None:
            for key in [key for key in entries if key.startswith(prefix)]:
                del entries[key]

        _entries(tmp_path, zarr_format, without)
    (found,) = nz.check(tmp_path, select=["NZ-CONS"], progress=False).findings
    assert found.fix is not None
    assert (found.fix.safety, "NZ-DIM-010" in str(found.fix.note)) == ("unsafe", True)
    zarr.open_array(tmp_path / "b").attrs["units"] = "m"
    other = nz.check(tmp_path, select=["NZ-CONS"], progress=False).findings[-1]
    assert (other.path, other.fix and other.fix.safety) == ("/b", "safe")


def test_attributes_that_are_null_come_back_from_the_consolidated_metadata(tmp_path: Path) -> None:
    """The fix changes the entry, too, and an empty one would take the names of dimensions from xarray."""
    _write(tmp_path, 2)
    file = tmp_path / "a" / ".zattrs"
    before = json.loads(file.read_text("utf-8"))
    file.write_text("null", "utf-8")
    hierarchy = nz.open_store(tmp_path, mode="r+")
    report = nz.check(hierarchy, select=["Z2-ATT-001", "NZ-CONS"], progress=False)
    (found,) = [finding for finding in report.findings if finding.rule == "Z2-ATT-001"]
    nz.apply([found], hierarchy).write()
    assert json.loads(file.read_text("utf-8")) == before
    assert not nz.check(tmp_path, select=["NZ-CONS"], progress=False).findings


@pytest.mark.parametrize("document", [{}, None])
def test_the_last_copy_of_what_netcdf_c_noted_is_written_back(
    tmp_path: Path, document: dict[str, Any] | None
) -> None:
    """xarray writes the attributes of the root again where it appends, and leaves .zmetadata as they are if told so."""
    noted: dict[str, Any] = {
        "_nczarr_superblock": {"version": "2.0.0"},
        "_nczarr_group": {
            "dimensions": {"t": {"size": 3, "unlimited": 1}},
            "arrays": ["t"],
            "groups": [],
        },
    }
    entries = {".zgroup": {"zarr_format": 2}, ".zattrs": {**noted, "title": "gone"}}
    zarr.create_array(tmp_path / "t", shape=(5,), dtype="f8", zarr_format=2)
    here = {"_nczarr_array": {"dimension_references": ["/t"], "storage": "chunked"}}
    (tmp_path / "t" / ".zattrs").write_text(json.dumps(here))
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / ".zmetadata").write_text(
        json.dumps({"zarr_consolidated_format": 1, "metadata": entries})
    )
    if document is not None:
        (tmp_path / ".zattrs").write_text(json.dumps(document))
    [finding] = nz.check(tmp_path, progress=False, select=["NZ-CONS-006"]).findings
    assert [fix.safety for fix in finding.fixes] == ["suggest"]
    nz.apply([finding], nz.open_store(tmp_path, mode="r+")).write()
    noted["_nczarr_group"]["dimensions"] = {"t": {"size": 5, "unlimited": 1}}
    assert json.loads((tmp_path / ".zattrs").read_text()).items() >= noted.items()
    after = nz.check(tmp_path, progress=False, select=["NZ-CONS-006"]).findings
    assert [fix.safety for one in after for fix in one.fixes] == ["safe"]
