"""CDL: what ncdump would print, each line tied to the place it was made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zarr

from nz_explorer.model import Array, Group, open_store
from nz_explorer.netcdf import cdl, cdl_text, concepts


def text(store: Path, group: str = "/") -> list[str]:
    return [line.text for line in cdl(open_store(store)[group])]


def test_a_group_with_dimensions_variables_and_attributes(sample_store: Path) -> None:
    lines = text(sample_store, "/ocean")
    assert lines[0].startswith("netcdf ")
    assert "dimensions:" in lines
    assert "\trlat = 96 ;" in lines
    assert "\tfloat sea_surface_temperature(time, rlat, rlon) ;" in lines
    assert "\t\tsea_surface_temperature:_FillValue = -9999.f ;" in lines
    assert '\t\tsea_surface_temperature:units = "degC" ;' in lines or any(
        "sea_surface_temperature:units" in line for line in lines
    )
    assert lines[-1] == "}"


def test_groups_are_nested_and_closed(sample_store: Path) -> None:
    lines = [line.strip() for line in text(sample_store)]
    for name in ("analysis", "forecast", "ocean"):
        assert lines.index(f"group: {name} {{") < lines.index(f"}} // group {name}")


def test_every_line_with_a_pointer_leads_to_its_value(broken_store: Path) -> None:
    hierarchy = open_store(broken_store)
    checked = 0
    for line in cdl(hierarchy.root):
        if line.path is None or not line.pointer:
            continue
        node = hierarchy[line.path]
        document, pointer = node.locate(line.pointer)
        if document is not None and document.span(pointer) is not None:
            checked += 1
        else:  # what is missing is pointed at where it should be
            assert node.state != "ok" or pointer.rsplit("/", 1)[-1] in (
                "data_type",
                "dimension_names",
                "0",
                "1",
            )
    assert checked > 100


def test_what_netcdf_has_not_is_said(sample_store: Path, broken_store: Path) -> None:
    sample, broken = "\n".join(text(sample_store)), "\n".join(text(broken_store))
    assert "bool: netCDF has no such type" in sample
    assert "complex64: netCDF has no such type" in sample
    assert "has no name in the store" in broken
    assert "also used with length 72" in broken


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("air_temp", "air_temp"),
        ("wind speed", "wind\\ speed"),
        ("2m", "\\2m"),
        ("a/b", "a\\/b"),
        ("é", "é"),
        ("a\x1b", "a\\%1b"),
    ],
)
def test_names_are_escaped(name: str, escaped: str) -> None:
    assert cdl_text.name(name) == escaped


def test_strings_are_quoted() -> None:
    assert cdl_text.quote('a "b"\n\\\x1b') == '"a \\"b\\"\\n\\\\\\033"'


def test_numbers_carry_their_types(tmp_path: Path) -> None:
    attributes = {
        "i": 5,
        "f": 1.0,
        "many": [1, 2],
        "mixed": [1, 2.5],
        "words": ["a", "b"],
        "nested": {"a": 1},
        "big": 1e20,
    }
    (tmp_path / "zarr.json").write_text(
        json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes})
    )
    lines = [line.strip() for line in text(tmp_path)]
    assert ":i = 5LL ;" in lines
    assert ":f = 1. ;" in lines
    assert ":many = 1LL, 2LL ;" in lines
    assert ":mixed = 1., 2.5 ;" in lines
    assert 'string :words = "a", "b" ;' in lines
    assert ":big = 1.e+20 ;" in lines
    assert any(
        line.startswith(':nested = "{') and "netCDF has no such type" in line for line in lines
    )


def test_fields_keep_their_shapes(tmp_path: Path) -> None:
    array = {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": [["t", "<f4", [2]], ["n", "<i2"]],
    }
    array |= {"compressor": None, "filters": None, "fill_value": None, "order": "C"}
    documents = {".zgroup": {"zarr_format": 2}, "a/.zarray": array}
    (tmp_path / "a").mkdir()
    for key, document in documents.items():
        (tmp_path / key).write_text(json.dumps(document))
    assert any("struct {t: float32[2], n: int16}" in line for line in text(tmp_path))


def test_the_oldest_dialect_of_netcdf_c(data: Path) -> None:
    lines = text(data / "nczarr" / "nczarr-1.0.0-keys.zip")
    assert "\tint lat(lat) ;" in lines
    assert '\t\tlat:lat_attr = "latitude" ;' in lines
    assert "  \tint pos(lat, lon) ;" in lines
    assert lines.count("\tlat = 8 ;") == 1  # in the root group only


def test_concepts_name_what_the_group_holds(sample_store: Path) -> None:
    hierarchy = open_store(sample_store)
    group = hierarchy["/ocean"]
    hierarchy.children(group)
    assert isinstance(group, Group)
    roles = {
        array.path: "auxiliary" if array.name == "latitude" else "data" for array in group.arrays
    }
    rows = {row.nug: row for row in concepts(group, roles)}  # type: ignore[arg-type]
    assert [place.label for place in rows["auxiliary coordinate and other helpers"].here] == [
        "latitude"
    ]
    assert rows["unlimited dimension"].nz is None
    assert rows["variable"].total == len(group.arrays)
    assert rows["Conventions"].here[0].path == "/"
    for row in rows.values():
        for place in row.here:
            assert place.path in hierarchy


def test_attributes_of_the_root_are_global_and_those_of_groups_below_count_too() -> None:
    store = zarr.storage.MemoryStore()
    root = zarr.create_group(store, attributes={"title": "t"})
    root.create_group("g", attributes={"comment": "c"}).create_array(
        "a", shape=(1,), dtype="f4", attributes={"units": "m", "long_name": "a"}
    )
    hierarchy = open_store(store)
    for path, found in (("/", ["g: 1", "a: 2"]), ("/g", ["g: 1", "a: 2"])):
        group = hierarchy[path]
        assert isinstance(group, Group)
        hierarchy.children(group)
        for one in group.groups:
            hierarchy.children(one)
        rows = {row.nug: row for row in concepts(group, {})}
        assert [place.label for place in rows["attribute"].here] == found
        assert [place.label for place in rows["global attribute"].here] == ["title"]


def test_names_that_several_groups_have_are_told_apart_at_the_root() -> None:
    root = zarr.create_group(zarr.storage.MemoryStore())
    for name, size in (("g", 2), ("h", 3)):
        group = root.create_group(name)
        group.create_array("x", shape=(size,), dtype="f4", dimension_names=["x"])
        group.create_array(f"of_{name}", shape=(size,), dtype="f4", dimension_names=["x"])
    hierarchy = open_store(root.store)
    root_group = hierarchy["/"]
    assert isinstance(root_group, Group)
    hierarchy.children(root_group)
    for one in root_group.groups:
        hierarchy.children(one)
    rows = {row.nug: [place.label for place in row.here] for row in concepts(root_group, {})}
    assert rows["dimension"] == ["g/x = 2", "h/x = 3"]
    assert rows["shared dimension"] == ["g/x: of_g and x", "h/x: of_h and x"]
    assert rows["variable"] == ["of_g", "g/x", "of_h", "h/x"]
    assert rows["group"] == ["g", "h"]


def test_an_array_is_printed_alone(sample_store: Path) -> None:
    hierarchy = open_store(sample_store)
    node = hierarchy["/ocean/sea_surface_temperature"]
    assert isinstance(node, Array)
    lines = text(sample_store, node.path)
    assert sum(line.startswith("\tfloat ") for line in lines) == 1


@pytest.mark.parametrize(("first", "called"), [({}, ""), ({"name": "way"}, "way ")])
def test_coordinates_that_metadata_describe_stand_beside_the_dimension(
    first: dict[str, str], called: str, tmp_path: Path
) -> None:
    sets = [
        {**first, "unit": "m\n}", "values": {"regular": [10, 2]}},
        {"name": "code", "values": {"explicit": ["a", "b", "c"]}},
    ]
    axis = {"name": "x", "coordinates": sets}
    root = zarr.create_group(tmp_path / "s.zarr")
    array = root.create_array("a", shape=(3,), dtype="f4", dimension_names=["x"])
    array.attrs["cs"] = {"crs": [{"axes": [axis]}]}
    shown = f"coordinates {called}10 … 14 m\\x0a}}; coordinates code a … c, described by cs in /a"
    assert f"\tx = 3 ; // {shown}" in text(tmp_path / "s.zarr")
