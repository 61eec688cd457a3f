"""Fixes of references, of cs and by themselves: where they lead afterwards, and that nothing else is wrong then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonpatch import apply_patch

import nz_explorer as nz
from tests.conventions.cs_documents import ARRAY, CS, REF

TIMES = {
    "direction": "future",
    "time": {"unit": "day", "epoch": "1850-01-01", "calendar": "standard"},
}
SYSTEM = {
    "axes": {
        "time": {
            "abbreviation": "T",
            "coordinates": [{**TIMES, "values": {"regular": [0, 1]}}],
        }
    }
}
DECLARED = [CS, REF]


def _write(folder: Path, of_array: dict[str, Any]) -> None:
    group = {"zarr_format": 3, "node_type": "group"}
    documents = {
        "": {**group, "attributes": {}},
        "g": {**group, "attributes": {"zarr_conventions": DECLARED, "crs": {"t": SYSTEM}}},
        "g/time": {**ARRAY, "attributes": {}},
        "g/a": {**ARRAY, "attributes": {"zarr_conventions": DECLARED, **of_array}},
    }
    for path, document in documents.items():
        (folder / path).mkdir(parents=True, exist_ok=True)
        (folder / path / "zarr.json").write_text(json.dumps(document))


def _fixed(folder: Path, rule: str, of: str = "g/a") -> dict[str, Any]:
    """Return the attributes of the array, or of another node, after the one fix of a rule, after which nothing of REF is wrong."""
    found = nz.check(folder, select=["REF"], progress=False).findings
    (fix,) = (one.fix for one in found if one.rule == rule)
    assert fix is not None
    file = folder / of / "zarr.json"
    fixed = apply_patch(json.loads(file.read_text()), [dict(one) for one in fix.patch])
    file.write_text(json.dumps(fixed))
    assert nz.check(folder, select=["REF"], progress=False).findings == []
    attributes: dict[str, Any] = fixed["attributes"]
    return attributes


def _values(node: Any) -> dict[str, Any]:
    axis = {
        "abbreviation": "T",
        "coordinates": [{**TIMES, "values": {"external": {"ref": {"node": node}}}}],
    }
    return {"cs": {"crs": [{"axes": {"time": axis}}]}}


@pytest.mark.parametrize("given", ["/g/time", "g/time", "tmie", "../../time"])
def test_values_of_cs_are_named_from_the_array_where_its_reader_begins(
    given: str, tmp_path: Path
) -> None:
    _write(tmp_path, _values(given))
    crs = _fixed(tmp_path, "REF-002")["cs"]["crs"][0]
    external = crs["axes"]["time"]["coordinates"][0]["values"]["external"]
    assert external == {"ref": {"node": "../time"}}


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("REF-002", {"node": "/g", "attribute": "/attributes/crs/t"}),
        ("REF-005", {"node": ".", "attribute": "/crs/t"}),
        ("REF-005", {"node": ".", "attribute": "/attributes/crs~t"}),
        ("REF-005", {"node": "../..", "attribute": "/attributes/crs/t"}),
        ("REF-006", {"node": ".."}),
    ],
)
def test_a_shared_system_of_the_own_group_is_named_so_that_readers_of_cs_find_it(
    rule: str, given: dict[str, str], tmp_path: Path
) -> None:
    _write(tmp_path, {"cs": {"crs": [{"ref": given}]}})
    crs = _fixed(tmp_path, rule)["cs"]["crs"]
    assert crs == [{"ref": {"node": "..", "attribute": "/attributes/crs/t"}}]


def test_no_other_system_is_offered_where_the_one_that_is_named_has_no_axes(tmp_path: Path) -> None:
    """Which is told to the group that keeps it."""
    _write(tmp_path, {"cs": {"crs": [{"ref": {"node": "..", "attribute": "/attributes/crs/s"}}]}})
    file = tmp_path / "g" / "zarr.json"
    group = json.loads(file.read_text())
    group["attributes"]["crs"]["s"] = {"Axes": SYSTEM["axes"]}
    file.write_text(json.dumps(group))
    found = nz.check(tmp_path, select=["CS-GRP", "REF"], progress=False).findings
    told = sorted((one.rule, one.path, one.fix is not None) for one in found)
    assert told == [("CS-GRP-002", "/g", True), ("REF-006", "/g/a", False)]


@pytest.mark.parametrize(
    ("uri", "node"),
    [
        ("", "/g/time"),
        ("/", "g/time"),
        ("/g", "/time"),
        ("/g/", "time"),
        ("/g/time", "/"),
    ],
)
def test_a_uri_of_this_store_or_of_a_group_in_it_is_omitted(
    uri: str, node: str, tmp_path: Path
) -> None:
    _write(tmp_path, {"ref": {"uri": f"{tmp_path.as_uri()}{uri}", "node": node}})
    assert _fixed(tmp_path, "REF-003")["ref"] == {"node": "../time"}


@pytest.mark.parametrize("uri", ["_of_another", "/other.zarr", "/g/other.zarr"])
def test_a_uri_of_another_store_in_the_same_folder_is_one(uri: str, tmp_path: Path) -> None:
    _write(tmp_path, {"ref": {"uri": f"{tmp_path.as_uri()}{uri}", "node": "/time"}})
    assert nz.check(tmp_path, select=["REF"], progress=False).findings == []


@pytest.mark.parametrize("given", ["/g/time", "time", "g/time", "../tiem"])
def test_a_reference_by_itself_begins_at_the_node(given: str, tmp_path: Path) -> None:
    _write(tmp_path, {"ref": {"node": given}})
    assert _fixed(tmp_path, "REF-002")["ref"] == {"node": "../time"}


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("/g/time", "time"),
        ("g/time", "time"),
        ("../../time", "time"),
        ("/b", "../b"),
        ("b", "../b"),
    ],
)
def test_a_list_of_axes_in_a_group_names_arrays_from_the_group(
    given: str, right: str, tmp_path: Path
) -> None:
    """As its text has it, and ref; where axes are an object, from the arrays in the group, where their reader begins."""
    _write(tmp_path, {"cs": {"crs": [{"node": "..", "attribute": "/attributes/crs/t"}]}})
    times = {**TIMES, "values": {"external": {"node": given}}}
    axis = {"name": "time", "abbreviation": "T", "coordinates": [times]}
    group = json.loads((tmp_path / "g" / "zarr.json").read_text())
    group["attributes"]["crs"] = {"t": {"axes": [axis]}}
    (tmp_path / "g" / "zarr.json").write_text(json.dumps(group))
    (tmp_path / "b").mkdir()
    array = json.loads((tmp_path / "g" / "time" / "zarr.json").read_text())
    (tmp_path / "b" / "zarr.json").write_text(json.dumps(array))
    axes = _fixed(tmp_path, "REF-002", of="g")["crs"]["t"]["axes"]
    assert axes[0]["coordinates"][0]["values"]["external"] == {"node": right}


def _share(folder: Path, keeper: str, given: str) -> None:
    """Put a system with a type in a group, which finds its values by a path."""
    axis = _values(given)["cs"]["crs"][0]["axes"]["time"]
    file = folder / keeper / "zarr.json"
    group = json.loads(file.read_text())
    shared = {"t": {"type": "temporal", "axes": {"time": axis}}}
    group["attributes"] = {"zarr_conventions": DECLARED, "crs": shared}
    file.write_text(json.dumps(group))


@pytest.mark.parametrize("given", ["/g/time", "g/time"])
def test_a_path_in_a_shared_system_leads_there_from_arrays_in_other_groups(
    given: str, tmp_path: Path
) -> None:
    _write(tmp_path, {"ref": {"node": "../time"}})
    _share(tmp_path, "g", given)
    (tmp_path / "h" / "b").mkdir(parents=True)
    (tmp_path / "h" / "zarr.json").write_text((tmp_path / "zarr.json").read_text())
    refers = {"cs": {"crs": [{"ref": {"node": "../../g", "attribute": "/attributes/crs/t"}}]}}
    array = {**ARRAY, "attributes": {"zarr_conventions": DECLARED, **refers}}
    (tmp_path / "h" / "b" / "zarr.json").write_text(json.dumps(array))
    axis = _fixed(tmp_path, "REF-002", of="g")["crs"]["t"]["axes"]["time"]
    external = axis["coordinates"][0]["values"]["external"]
    assert external == {"ref": {"node": "../../g/time"}}


def test_no_relative_path_is_offered_where_arrays_at_two_depths_refer_to_a_system(
    tmp_path: Path,
) -> None:
    """Readers follow the path from the root from all of them, and any other one from some."""
    refers = [{"ref": {"node": "../..", "attribute": "/attributes/crs/t"}}]
    _write(tmp_path, {"cs": {"crs": refers}})
    _share(tmp_path, "", "/g/time")
    above = [{"ref": {"node": "..", "attribute": "/attributes/crs/t"}}]
    (tmp_path / "b").mkdir()
    attributes = {"zarr_conventions": DECLARED, "cs": {"crs": above}}
    (tmp_path / "b" / "zarr.json").write_text(json.dumps({**ARRAY, "attributes": attributes}))
    found = nz.check(tmp_path, select=["REF"], progress=False).findings
    assert [(one.rule, one.path, one.fix) for one in found] == [("REF-002", "/", None)]
