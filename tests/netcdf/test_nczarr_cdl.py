"""CDL of what netCDF-C writes, in each of its dialects, against ncdump's."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.model import Group, open_store
from nz_explorer.netcdf import cdl, concepts
from tests.netcdf.older import as_keys, as_objects, put

EXPECTED = Path(__file__).parent / "expected"
"""What ncdump 4.9.0 printed of the dataset as a netCDF-4 file, and of what netCDF-C 4.10.1 read of it in pure Zarr."""


def ours(source: Any, name: str, **options: Any) -> list[str]:
    return [line.text for line in cdl(open_store(source).root, name, **options)]


def theirs(name: str) -> list[str]:
    return (EXPECTED / f"{name}.cdl").read_text("utf-8").split("\n")[:-1]


def without_data(lines: list[str]) -> list[str]:
    """Return what ``ncdump -h`` would have printed."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.strip() == "data:":
            inside = True
        elif line.lstrip().startswith(("group:", "}")):
            kept += [""] if inside and line.lstrip().startswith("group:") else []
            inside = False
        if not inside:
            kept.append(line)
    return kept


@pytest.mark.parametrize("name", ["everything", "pure", "anonymous"])
def test_what_netcdf_c_writes_prints_as_ncdump_prints_it(netcdf_c: Path, name: str) -> None:
    assert ours(netcdf_c / name, name) == theirs(name)


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")
def test_what_is_expected_is_what_ncdump_prints(netcdf_c: Path) -> None:
    file = netcdf_c / "twin.nc"
    printed = subprocess.run(
        ["ncdump", "-h", "-n", "everything", str(file)], check=True, capture_output=True, text=True
    )
    assert printed.stdout.split("\n")[:-1] == theirs("everything")


@pytest.mark.parametrize("upper", [False, True], ids=["lower", "upper"])
def test_keys_of_netcdf_c_4_9_say_the_same(netcdf_c: Path, tmp_path: Path, upper: bool) -> None:
    as_keys(netcdf_c / "everything", tmp_path / "keys", upper=upper)
    assert ours(tmp_path / "keys", "everything") == theirs("everything")


def test_objects_of_netcdf_c_4_8_say_the_same(netcdf_c: Path, tmp_path: Path) -> None:
    as_objects(netcdf_c / "everything", tmp_path / "objects")
    assert ours(tmp_path / "objects", "everything") == theirs("everything")


@pytest.mark.parametrize(
    "name", ["nczarr-2.0.0-attributes", "nczarr-2.0.0-in-zarray", "quotes-and-bare-nan"]
)
def test_stores_of_netcdf_c_s_own_tests(data: Path, name: str) -> None:
    expected = (data / "nczarr" / f"{name}.cdl").read_text("utf-8").split("\n")[:-1]
    title = expected[0].split()[1]
    assert ours(data / "nczarr" / f"{name}.zip", title) == without_data(expected)


@pytest.mark.parametrize("mode", ["nczarr,file", "zarr,file", "xarray,file", "noxarray,file"])
def test_the_mode_of_the_address_counts_as_it_does_to_netcdf_c(tmp_path: Path, mode: str) -> None:
    def run(command: str, url: str) -> str:
        program = [sys.executable, str(Path(__file__).parent / "stores.py"), command, url]
        return subprocess.run(
            program, check=True, timeout=60, capture_output=True, text=True
        ).stdout

    store = (tmp_path / "few").as_uri()
    run("few", f"{store}#mode=nczarr,file")
    printed = "\n".join(ours(f"{store}#mode={mode}", "few"))
    for name, (dimensions, _) in json.loads(run("variables", f"{store}#mode={mode}")).items():
        along = f"({', '.join(dimensions)})" if dimensions else ""
        assert f" {name}{along} ;" in printed
    assert ("char letters" in printed) == (mode == "nczarr,file")


def test_numbers_that_json_does_not_have(tmp_path: Path) -> None:
    """netCDF-C 4.10 reads each of them as what stands beside it, and crashes on the last."""
    written = {
        "a": ("nan", "<f8", "NaN"),
        "b": ("007", "<i4", "7"),
        "c": ("[nan, 1]", "<f8", "NaN, 1."),
        "d": ("+5", "<i2", "5s"),
        "e": ("-0x10", "<i4", "-16"),
        "f": ("-.5e1", "<f8", "-5."),
        "g": ("-inf", "<f4", "-Infinityf"),
        "h": ('"007"', "<i4", '"007"'),
    }
    values = ", ".join(f'"{key}": {text}' for key, (text, _, _) in written.items())
    types = ", ".join(f'"{key}": "{noted}"' for key, (_, noted, _) in written.items())
    notes = '"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_attr": {"types": {' + types + "}}"
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / ".zattrs").write_text("{" + values + ", " + notes + "}")
    lines = [line.strip() for line in ours(tmp_path, "any")]
    for key, (_, _, shown) in written.items():
        assert any(line.startswith(f":{key} = {shown} ;") for line in lines), key


def test_special_attributes(data: Path) -> None:
    expected = (data / "nczarr" / "unsigned-byte.cdl").read_text("utf-8").split("\n")[:-1]
    source = data / "nczarr" / "unsigned-byte.zip"
    assert ours(source, "ref_byte", special=True) == without_data(expected)
    plain = [line for line in without_data(expected) if ":_" not in line]
    assert ours(source, "ref_byte") == [line for line in plain if line and "//" not in line]


def test_special_attributes_of_a_packed_array(netcdf_c: Path) -> None:
    lines = [line.strip() for line in ours(netcdf_c / "everything", "x", special=True)]
    for wanted in (
        'r:_Storage = "chunked" ;',
        "r:_ChunkSizes = 1, 3 ;",
        'r:_Shuffle = "true" ;',
        "r:_DeflateLevel = 3 ;",
        'r:_Endianness = "little" ;',
        ':_Format = "netCDF-4" ;',
    ):
        assert wanted in lines
    assert any(line.startswith(':_NCProperties = "version=2,netcdf=') for line in lines)


def test_every_line_leads_to_where_it_is_said(netcdf_c: Path, tmp_path: Path) -> None:
    as_keys(netcdf_c / "everything", tmp_path / "keys", upper=False)
    as_objects(netcdf_c / "everything", tmp_path / "objects")
    for store in (netcdf_c / "everything", tmp_path / "keys", tmp_path / "objects"):
        hierarchy = open_store(store)
        places = set()
        for line in cdl(hierarchy.root):
            if line.path is None or not line.pointer:
                continue
            document, pointer = hierarchy[line.path].locate(line.pointer)
            assert document is not None
            assert document.span(pointer) is not None
            places.add(document.name)
        assert {".zarray", ".zattrs"} <= places


def test_a_group_alone_declares_what_it_uses_of_others(netcdf_c: Path) -> None:
    lines = [line.text for line in cdl(open_store(netcdf_c / "everything")["/g1"], "x")]
    assert lines[:7] == [
        "netcdf x {",
        "dimensions:",
        "\tlon = 4 ;",
        "\trecords = UNLIMITED ; // (2 currently)",
        "\ty = 2 ; // of /",
        "\tx = 3 ; // of /",
        "\ttime = UNLIMITED ; // (4 currently); of /",
    ]


def test_a_name_that_means_another_dimension_nearby_is_written_in_full(tmp_path: Path) -> None:
    store = {
        ".zattrs": {"_nczarr_group": {"dimensions": {"x": 3}, "arrays": [], "groups": ["g"]}},
        ".zgroup": {"zarr_format": 2},
        "g/.zattrs": {"_nczarr_group": {"dimensions": {"x": 2}, "arrays": ["a"], "groups": []}},
        "g/.zgroup": {"zarr_format": 2},
        "g/a/.zattrs": {"_nczarr_array": {"dimension_references": ["/x", "/g/x"]}},
        "g/a/.zarray": {"zarr_format": 2, "shape": [3, 2], "chunks": [3, 2], "dtype": "<i4"},
    }
    for key, document in store.items():
        put(tmp_path / key, document)
    assert "  \tint a(/x, x) ;" in ours(tmp_path, "x")


ATTRIBUTES = {
    "text": ("5", '"5"'),
    "number in words": (5, '"5"'),
    "decimal in words": (5.5, '"5.5"'),
    "flag in words": (True, '"true"'),
    "object in words": ({"a": 1, "b": [1, 2]}, '"{\\"a\\": 1, \\"b\\": [1,2]}"'),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_text_that_became_json_is_text_again(tmp_path: Path, name: str) -> None:
    value, expected = ATTRIBUTES[name]
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    put(tmp_path / ".zattrs", {name: value, "_nczarr_attr": {"types": {name: ">S1"}}})
    escaped = name.replace(" ", "\\ ")
    assert f"\t\t:{escaped} = {expected} ;" in ours(tmp_path, "x")


def test_text_that_netcdf_c_left_without_quotes(tmp_path: Path) -> None:
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    types = '"_nczarr_attr": {"types": {"a": ">S1", "b": ">S1", "c": ">S1"}}'
    (tmp_path / ".zattrs").write_text(f'{{"a": 01, "b": NaN, "c": +.5e3, {types}}}')
    lines = ours(tmp_path, "x")
    assert lines[-4:-1] == ['\t\t:a = "01" ;', '\t\t:b = "NaN" ;', '\t\t:c = "+.5e3" ;']


def test_zeros_keep_their_sign(tmp_path: Path) -> None:
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    types = '"_nczarr_attr": {"types": {"a": "<f4", "b": "<f8", "c": "<i4"}}'
    (tmp_path / ".zattrs").write_text(f'{{"a": -0, "b": [0, -0, -0.0], "c": -0, {types}}}')
    lines = ours(tmp_path, "x")
    assert lines[-4:-1] == ["\t\t:a = -0.f ;", "\t\t:b = 0., -0., -0. ;", "\t\t:c = 0 ;"]


def test_over_http_it_is_the_same(netcdf_c: Path, http_server: Callable[..., Any]) -> None:
    assert ours(http_server(netcdf_c / "everything").url, "everything") == theirs("everything")


def test_a_value_that_is_not_of_its_type_is_printed_all_the_same(tmp_path: Path) -> None:
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    types = {"a": "<i2", "b": "nonsense", "c": "<f4"}
    put(tmp_path / ".zattrs", {"a": 70000, "b": 1.5, "c": [], "_nczarr_attr": {"types": types}})
    lines = ours(tmp_path, "x")
    assert "\t\t:a = 70000 ; // is no int16, though that is noted as its type" in lines
    assert "\t\t:b = 1.5 ;" in lines
    assert '\t\t:c = "" ;' in lines


def test_a_fill_value_is_of_the_type_of_its_array(tmp_path: Path) -> None:
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    put(tmp_path / "a" / ".zarray", {"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<f4"})
    line = "\t\ta:_FillValue = {} ;"
    for attributes, expected in (
        ('"_FillValue": 5', "5.f"),
        ('"_FillValue": -0, "_nczarr_attr": {"types": {"_FillValue": "<f4"}}', "-0.f"),
        ('"_FillValue": 5, "_nczarr_attr": {"types": {"_FillValue": "<i2"}}', "5.f"),
    ):
        (tmp_path / "a" / ".zattrs").write_text(f"{{{attributes}}}")
        assert line.format(expected) in ours(tmp_path, "x")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2.5], "1., 2.5"),  # netCDF-C makes 1, 2 of it
        ([1, "NaN"], "1., NaN"),  # here netCDF-C fails
        ([2**31], "2147483648U"),
        (-(2**31) - 1, "-2147483649LL"),
        ("NaN", '"NaN"'),
        (None, '"null"'),
        ([True, False], "1UB, 0UB"),
        ([[1, 2], [3]], '"[[1,2],[3]]"'),
        (
            ["a", 1e7, {"b": 1e-07, "c": None}],
            '"[\\"a\\",10000000.0,{\\"b\\": 1e-07, \\"c\\": null}]"',
        ),
    ],
)
def test_types_that_are_not_noted_are_inferred(tmp_path: Path, value: Any, expected: str) -> None:
    put(tmp_path / ".zgroup", {"zarr_format": 2})
    put(tmp_path / ".zattrs", {"a": value})
    assert f"\t\t:a = {expected} ;" in ours(tmp_path, "x")


def test_concepts_name_unlimited_dimensions(netcdf_c: Path) -> None:
    hierarchy = open_store(netcdf_c / "everything")
    group = hierarchy["/g1"]
    hierarchy.children(group)
    assert isinstance(group, Group)
    rows = {row.nug: row for row in concepts(group, {})}
    assert [place.label for place in rows["unlimited dimension"].here] == ["records"]
    assert "records = 2 (unlimited)" in [place.label for place in rows["dimension"].here]
