"""Fixes of Zarr v2, whose nodes have several documents: each is of the right one, and leaves nothing behind."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz

GROUP = {"zarr_format": 2}
ARRAY = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [2],
    "dtype": "<f8",
    "compressor": None,
    "fill_value": 0.0,
    "order": "C",
    "filters": None,
}


def written(folder: Path, documents: dict[str, Any]) -> Path:
    for key, content in documents.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / key).write_bytes(data)
    return folder


def fixed(folder: Path, rule: str, **options: Any) -> set[str]:
    """Fix what a rule finds, and return the rules that find something afterwards."""
    found = [f for f in nz.check(folder, progress=False, **options).findings if f.rule == rule]
    assert found
    nz.apply(found, nz.open_store(folder, mode="r+")).write()
    return {f.rule for f in nz.check(folder, progress=False, **options).findings}


@pytest.mark.parametrize("key", [".zgroup", ".zattrs", "a/.zarray", "a/.zattrs"])
def test_a_byte_order_mark_is_taken_off_the_document_that_has_it(tmp_path: Path, key: str) -> None:
    documents = {".zgroup": GROUP, ".zattrs": {}, "a/.zarray": ARRAY, "a/.zattrs": {"units": "m"}}
    documents |= {key: b"\xef\xbb\xbf" + json.dumps(documents[key]).encode()}
    assert "JSON-005" not in fixed(written(tmp_path, documents), "JSON-005")
    assert json.loads((tmp_path / "a/.zattrs").read_bytes()) == {"units": "m"}


def test_an_attribute_without_a_name_is_not_all_of_the_attributes(tmp_path: Path) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": ARRAY, "a/.zattrs": {"": 1, "units": "m"}}
    assert "NZ-NAME-007" not in fixed(written(tmp_path, documents), "NZ-NAME-007")
    assert json.loads((tmp_path / "a/.zattrs").read_bytes()) == {"units": "m"}

    what_if = nz.WhatIf(nz.check(tmp_path, progress=False).evaluation).set("/a", "/.zattrs/", 2)
    assert what_if.hierarchy["/a"].attributes == {"units": "m", "": 2}


@pytest.mark.parametrize(
    ("shape", "safety"), [([4], "safe"), ([], "safe"), ([4, 1], "safe"), ([4, 2], "suggest")]
)
def test_an_order_is_added_where_both_are_the_same(
    tmp_path: Path, shape: list[int], safety: str
) -> None:
    array = {**ARRAY, "shape": shape, "chunks": shape}
    del array["order"]
    written(tmp_path, {".zgroup": GROUP, "a/.zarray": array})
    (found,) = nz.check(tmp_path, select=["Z2-ARR-002"], progress=False).findings
    assert found.fix is not None
    assert found.fix.safety == safety
    assert not fixed(tmp_path, "Z2-ARR-002", select=["Z2-ARR-002", "Z2-ARR-009"])


@pytest.mark.parametrize("text", [rb"\ud800", rb"\u0001"])
def test_characters_that_json_can_only_escape_have_no_fix(tmp_path: Path, text: bytes) -> None:
    documents = {".zgroup": GROUP, ".zattrs": b'{"title": "' + text + b'"}', "a/.zarray": ARRAY}
    found = nz.check(written(tmp_path, documents), conventions="zarr2", progress=False).findings
    (escapes,) = [f for f in found if f.rule == "Z2-OGC-016"]
    assert not escapes.fixes


@pytest.mark.parametrize(("title", "name"), [("°", "x"), ("x", "ü")])
def test_escapes_in_names_of_dimensions_are_written_out_together(
    tmp_path: Path, title: str, name: str
) -> None:
    """netCDF-C crashes where an array has its dimension by another name than the group that declares it."""
    noted = {"dimensions": {name: 4}, "arrays": ["a"], "groups": []}
    root = {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": noted, "title": title}
    own = {"_nczarr_array": {"dimension_references": [f"/{name}"]}, "long_name": title}
    documents = {".zgroup": GROUP, ".zattrs": root, "a/.zarray": ARRAY, "a/.zattrs": own}
    written(tmp_path, documents)
    found = nz.check(tmp_path, select=["Z2-OGC-016"], progress=False).findings
    assert [f.fix.safety for f in found if f.fix] == ["safe" if name.isascii() else "suggest"] * 2
    assert "Z2-OGC-016" not in fixed(tmp_path, "Z2-OGC-016", select=["Z2-OGC-016"])


@pytest.mark.parametrize(
    "copied", [{}, {"q/.zattrs": {"a": 1}}, {"q/.zattrs": {"a": 2}}, {"q/.zgroup": GROUP}]
)
def test_a_folder_with_attributes_becomes_a_group_in_the_consolidated_metadata_too(
    tmp_path: Path, copied: dict[str, Any]
) -> None:
    entries = {".zgroup": GROUP, "a/.zarray": ARRAY, **copied}
    consolidated = {"zarr_consolidated_format": 1, "metadata": entries}
    documents = {".zgroup": GROUP, "a/.zarray": ARRAY, "q/.zattrs": {"a": 1}}
    after = fixed(written(tmp_path, {**documents, ".zmetadata": consolidated}), "TREE-014")
    assert not after & {"TREE-014", "NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004"}


def test_without_its_root_v2_is_held_to_v2(tmp_path: Path) -> None:
    written(tmp_path, {"g/.zgroup": GROUP, "g/a/.zarray": ARRAY})
    assert nz.check(tmp_path, progress=False).conforms == {"NZ-1.0": None, "Zarr v2": False}
    written(tmp_path, {"h/zarr.json": {"zarr_format": 3, "node_type": "group"}})
    assert "Zarr v3" in nz.check(tmp_path, progress=False).conforms


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("Z2-CHUNK-005", {"values": "all"}),
        ("Z2-CHUNK-004", {"values": "all", "conventions": ["zarr2"]}),
        ("Z2-ARR-003", {"profile": "z2_text=current"}),  # where it is a warning
    ],
)
def test_findings_of_a_check_with_other_options_are_applied(
    tmp_path: Path, rule: str, options: dict[str, Any]
) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": ARRAY, "a/0": bytes(16), "b/.zarray": ARRAY}
    documents |= {
        "c/.zarray": {**ARRAY, "compressor": {"id": "zlib", "level": 1}},
        "c/0": bytes(range(16)),
    }
    documents["a/.zattrs"] = {"units": " m ", "_ARRAY_DIMENSIONS": ["x"]}
    documents["d/.zarray"] = {**ARRAY, "extra": 1}
    found = [
        f
        for f in nz.check(written(tmp_path, documents), progress=False, **options).findings
        if f.rule.startswith(rule) and f.fix is not None and f.fix.can_be_applied
    ]
    assert found
    assert nz.apply(found[:1], nz.open_store(tmp_path, mode="r+")).edits


@pytest.mark.parametrize(
    ("key", "name", "value", "held"),
    [
        (".zgroup", "title", "sea ice", {"title": "sea ice"}),
        (".zgroup", "attributes", {"title": "sea ice"}, {"title": "sea ice"}),
        ("a/.zarray", "units", "m", {"_ARRAY_DIMENSIONS": ["x"], "units": "m"}),
        ("a/.zarray", "attributes", {"units": "m"}, {"_ARRAY_DIMENSIONS": ["x"], "units": "m"}),
        ("a/.zarray", "node_type", "array", {"_ARRAY_DIMENSIONS": ["x"]}),  # is no attribute
    ],
)
def test_what_was_meant_as_attributes_goes_where_they_are(
    tmp_path: Path, key: str, name: str, value: Any, held: dict[str, Any]
) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": ARRAY, "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}
    documents[key] = {**documents[key], name: value}
    rule = "Z2-GRP-002" if key == ".zgroup" else "Z2-ARR-003"
    assert rule not in fixed(written(tmp_path, documents), rule)
    attributes = tmp_path / key.replace(".zgroup", ".zattrs").replace(".zarray", ".zattrs")
    assert json.loads(attributes.read_bytes()) == held


@pytest.mark.parametrize("attributes", [{"units": "km"}, []])
def test_what_cannot_be_moved_to_the_attributes_is_not_deleted(
    tmp_path: Path, attributes: Any
) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": {**ARRAY, "units": "m"}, "a/.zattrs": attributes}
    found = nz.check(written(tmp_path, documents), conventions="zarr2", progress=False).findings
    (extra,) = [f for f in found if f.rule == "Z2-ARR-003"]
    assert extra.fix is not None
    assert not extra.fix.can_be_applied


@pytest.mark.parametrize(
    ("array", "said"),
    [
        ({"dtype": [["p", [["b", "<f4"], ["b", "<i4"]]]]}, "(two fields of one name)"),
        ({"dtype": [[1, "<f4"]]}, "(the name 1 is no text)"),
        ({"dtype": [["x", "f4"]]}, 'dtype "f4" has no byte order'),
        ({"fill_value": {"value": 0}}, 'got the object {"value": 0}'),
        ({"dtype": "|S4", "fill_value": "none"}, "as plain text it fits"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, array: dict[str, Any], said: str) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": {**ARRAY, "fill_value": None, **array}}
    found = nz.check(written(tmp_path, documents), conventions="zarr2", progress=False).findings
    (finding,) = [f for f in found if said in f.message]
    assert "big-endian" not in finding.message  # which netCDF-C takes no struct for


def test_no_compressor_is_offered_where_there_is_none(tmp_path: Path) -> None:
    texts = {**ARRAY, "dtype": "<U1", "fill_value": ""}
    documents = {".zgroup": GROUP, "a/.zarray": texts, "a/0": b"\xff" * 8}
    report = nz.check(
        written(tmp_path, documents), conventions="zarr2", values="all", progress=False
    )
    (finding,) = [f for f in report.findings if f.rule == "Z2-CHUNK-004"]
    assert "compressed" not in finding.message
    assert finding.fix is not None
    assert not finding.fix.can_be_applied


def test_files_of_the_desktop_are_deleted_by_a_command_that_deletes_them(tmp_path: Path) -> None:
    documents = {
        ".zgroup": GROUP,
        "a/.zarray": ARRAY,
        "a/._0": b"x",
        "__MACOSX/b/._a": b"x",
        ".DS_Store": b"x",
        "desktop.ini": b"x",
    }
    folder = written(tmp_path / "s.zarr", documents)
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as packed:
        for key in documents:
            packed.write(folder / key, key)
    for source in (folder, tmp_path / "s.zip"):
        found = nz.check(source, progress=False).findings
        (fix, *_) = [f.fix for f in found if f.rule == "TREE-012"]
        assert fix is not None
        assert fix.note is not None
        command = shlex.split(fix.note.removeprefix("delete them: "))
        if shutil.which(command[0]):
            subprocess.run(command, check=True, capture_output=True)
            assert "TREE-012" not in {f.rule for f in nz.check(source, progress=False).findings}


@pytest.mark.parametrize(
    ("dtype", "told"),
    [
        ("<M8[s]", {"units": "seconds since 1970-01-01", "calendar": "proleptic_gregorian"}),
        ("<m8[s]", {"units": "seconds", "dtype": "timedelta64[ns]"}),
        # numbers have an order of bytes also where the times had none
        ("m8[s]", {"units": "seconds", "dtype": "timedelta64[ns]"}),
        ("=m8[s]", {"units": "seconds", "dtype": "timedelta64[ns]"}),
        ("|m8[s]", {"units": "seconds", "dtype": "timedelta64[ns]"}),
    ],
)
@pytest.mark.parametrize("kept", [None, {"long_name": "x"}])
def test_times_keep_their_units_also_where_there_were_no_attributes(
    tmp_path: Path, dtype: str, told: dict[str, str], kept: dict[str, str] | None
) -> None:
    documents = {".zgroup": GROUP, "t/.zarray": {**ARRAY, "dtype": dtype, "fill_value": "NaT"}}
    if kept is not None:
        documents["t/.zattrs"] = kept
    after = fixed(written(tmp_path, documents), "Z2-OGC-004", conventions="zarr2")
    assert not {"Z2-OGC-004", "Z2-DT-001"} & after
    assert json.loads((tmp_path / "t/.zattrs").read_bytes()) == {**(kept or {}), **told}


def test_what_is_called_as_in_v3_keeps_what_it_says(tmp_path: Path) -> None:
    array = {**ARRAY, "data_type": ARRAY["dtype"], "chunk_shape": ARRAY["chunks"]}
    del array["dtype"], array["chunks"]
    after = fixed(written(tmp_path, {".zgroup": GROUP, "a/.zarray": array}), "Z2-ARR-003")
    assert not after & {"Z2-ARR-002", "Z2-ARR-003"}
    assert json.loads((tmp_path / "a/.zarray").read_bytes()) == ARRAY


@pytest.mark.parametrize(
    ("rule", "given", "right"),
    [
        ("Z2-ARR-006", {"chunks": ["2"]}, {"chunks": [2]}),
        ("Z2-ARR-006", {"chunks": [2.0]}, {"chunks": [2]}),
        ("Z2-ARR-006", {"shape": [], "chunks": [1]}, {"shape": [], "chunks": []}),
        ("Z2-ARR-007", {"compressor": [{"id": "zlib"}]}, {"compressor": {"id": "zlib"}}),
        ("Z2-ARR-008", {"filters": {"id": "crc32"}}, {"filters": [{"id": "crc32"}]}),
    ],
)
def test_what_is_meant_gets_its_form(
    tmp_path: Path, rule: str, given: dict[str, Any], right: dict[str, Any]
) -> None:
    store = written(tmp_path, {".zgroup": GROUP, "a/.zarray": ARRAY | given})
    assert rule not in fixed(store, rule)
    assert json.loads((tmp_path / "a/.zarray").read_bytes()) == ARRAY | right


@pytest.mark.parametrize("given", [["0"], ["-2"], ["two"], ["2", "2"], [2.5]])
def test_lengths_of_chunks_that_fit_nothing_are_not_made_up(
    tmp_path: Path, given: list[Any]
) -> None:
    store = written(tmp_path, {".zgroup": GROUP, "a/.zarray": ARRAY | {"chunks": given}})
    (found,) = nz.check(store, select=["Z2-ARR-006"], progress=False).findings
    assert found.fix is None


@pytest.mark.parametrize(("right", "member"), [("filters", "filter"), ("fill_value", "fillvalue")])
def test_null_does_not_take_the_place_of_what_is_misspelt(
    tmp_path: Path, right: str, member: str
) -> None:
    meant = {**ARRAY, "filters": [{"id": "shuffle", "elementsize": 8}], "fill_value": -1.0}
    array = {(member if key == right else key): value for key, value in meant.items()}
    store = written(tmp_path, {".zgroup": GROUP, "a/.zarray": array})
    (missing,) = nz.check(store, select=["Z2-ARR-002"], progress=False).findings
    assert missing.fix is None
    assert not fixed(store, "Z2-ARR-003") & {"Z2-ARR-002", "Z2-ARR-003"}
    assert json.loads((tmp_path / "a/.zarray").read_bytes()) == meant


@pytest.mark.parametrize(("key", "right"), [("a/0/0", "/"), ("a/0.0", "."), ("a/.zattrs", ".")])
def test_a_separator_that_is_none_becomes_that_of_the_chunks(
    tmp_path: Path, key: str, right: str
) -> None:
    array = {**ARRAY, "shape": [2, 2], "chunks": [2, 2], "dimension_separator": None}
    content = {} if key.endswith("s") else bytes(32)
    documents = {".zgroup": GROUP, "a/.zarray": array, key: content}
    assert "Z2-ARR-010" not in fixed(written(tmp_path, documents), "Z2-ARR-010")
    fixed_array = json.loads((tmp_path / "a/.zarray").read_bytes())
    assert fixed_array == {**array, "dimension_separator": right}


@pytest.mark.parametrize("rules", [("Z2-ARR-003", "Z2-OGC-002"), ("Z2-OGC-002", "Z2-ARR-003")])
def test_what_the_fix_of_another_finding_has_cured_is_passed_over(
    tmp_path: Path, rules: tuple[str, ...]
) -> None:
    documents = {".zgroup": GROUP, "a/.zarray": ARRAY | {"dimension_names": ["x"]}}
    found = {f.rule: f for f in nz.check(written(tmp_path, documents), progress=False).findings}
    nz.apply([found[rule] for rule in rules], nz.open_store(tmp_path, mode="r+")).write()
    left = {f.rule for f in nz.check(tmp_path, progress=False).findings}
    assert left.isdisjoint(rules)
    assert json.loads((tmp_path / "a/.zattrs").read_bytes()) == {"_ARRAY_DIMENSIONS": ["x"]}
    assert json.loads((tmp_path / "a/.zarray").read_bytes()) == ARRAY
