"""``nz-explorer convert-metadata``: what a dialect says becomes metadata of NZ-1.0, shown before it is written."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonpatch
import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.cli import main

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")


def _call(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    """Call the command line as a shell does."""
    with pytest.raises(SystemExit) as end:
        main.main(["convert-metadata", *arguments], "nz-explorer")
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Arrays of Zarr v3 that name their dimensions as earlier dialects do, consolidated."""
    path = tmp_path / "s.zarr"
    root = zarr.open_group(path, mode="w", attributes={"Conventions": "CF-1.10"})
    old = {"_ARRAY_DIMENSIONS": ["y", "x"], "units": "K"}
    root.create_array("t", data=np.arange(6.0).reshape(2, 3), attributes=old)
    root.create_array("x", data=np.array([1, 2, 4]), attributes={"_ARRAY_DIMENSIONS": ["x"]})
    root.create_array("crs", data=np.array(7, "i4"))
    noted = {"_nczarr_array": {"dimension_references": ["/g/n"], "storage": "chunked"}}
    root.create_group("g").create_array("b", data=np.arange(4), attributes=noted)
    zarr.consolidate_metadata(path)
    return path


def _documents(path: Path) -> dict[str, bytes]:
    return {f.relative_to(path).as_posix(): f.read_bytes() for f in sorted(path.rglob("zarr.json"))}


def test_nothing_is_written_without_being_told(
    store: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    before = _documents(store)
    code, out, _ = _call(capsys, str(store), "--dry-run")
    assert code == 0
    assert '"dimension_names"' in out
    assert "nothing was written; 5 documents would be" in out
    assert _documents(store) == before
    code, _, err = _call(capsys, str(store))
    assert code == 2
    assert "nothing was written: there is no one to ask" in err
    assert _documents(store) == before


def test_the_result_keeps_nz_and_others_read_it(store: Path, capsys: Any) -> None:
    values = zarr.open_group(store, mode="r")["t"][...]  # type: ignore[index]
    assert nz.check(store, progress=False).conforms["NZ-1.0"] is False
    with pytest.raises(KeyError):
        xr.open_zarr(store)
    code, out, _ = _call(capsys, str(store), "--yes")
    assert (code, "written and read back" in out) == (0, True)
    report = nz.check(store, progress=False)
    assert report.conforms["NZ-1.0"] is True
    assert [f for f in report.findings if f.severity == "error"] == []
    root = zarr.open_group(store, mode="r")
    assert root.attrs["conventions"] == "NZ-1.0 CF-1.10"
    assert root["t"].metadata.dimension_names == ("y", "x")  # type: ignore[union-attr]
    assert json.loads((store / "crs" / "zarr.json").read_text())["dimension_names"] == []
    np.testing.assert_array_equal(root["t"][...], values)  # type: ignore[index]
    with xr.open_zarr(store, consolidated=True) as dataset:
        assert dataset["t"].dims == ("y", "x")
        assert dataset["x"].values.tolist() == [1, 2, 4]
    with xr.open_zarr(store, group="g", consolidated=False) as below:
        assert below["b"].dims == ("n",)
    code, out, _ = _call(capsys, str(store), "--yes")
    assert (code, "nothing to convert" in out) == (0, True)


def test_the_changes_as_a_file(store: Path, tmp_path: Path, capsys: Any) -> None:
    before = _documents(store)
    file = tmp_path / "changes.json"
    code, out, _ = _call(capsys, str(store), "--output", str(file))
    assert (code, str(file) in out) == (0, True)
    assert _documents(store) == before
    bundle = json.loads(file.read_text())
    assert bundle["schema"] == "nz-explorer/changes/1"
    for change in bundle["changes"]:
        document = json.loads(before[change["document"]])
        changed = jsonpatch.apply_patch(document, change["patch"])
        (store / change["document"]).write_text(json.dumps(changed))
    assert nz.check(store, progress=False).conforms["NZ-1.0"] is True


def test_what_the_dialect_does_not_say_is_not_made_up(store: Path, capsys: Any) -> None:
    zarr.open_group(store, mode="r+").create_array("lost", data=np.zeros((5, 6)))
    zarr.consolidate_metadata(store)
    code, out, _ = _call(capsys, str(store), "--yes")
    assert code == 1
    assert "to be decided before NZ-1.0 can be declared" in out
    assert "NZ-DIM-001 /lost" in out
    root = zarr.open_group(store, mode="r")
    assert "conventions" not in root.attrs
    assert root["lost"].metadata.dimension_names is None  # type: ignore[union-attr]
    assert root["t"].metadata.dimension_names == ("y", "x")  # type: ignore[union-attr]


def test_names_that_are_null_are_those_of_the_attribute(store: Path, capsys: Any) -> None:
    file = store / "t/zarr.json"
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "dimension_names": None}))  # as Icechunk wrote it
    (store / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    code, _, _ = _call(capsys, str(store), "--yes")
    assert code == 0
    assert json.loads(file.read_text())["dimension_names"] == ["y", "x"]


def test_conventions_that_are_a_list_are_put_into_words(store: Path, capsys: Any) -> None:
    (store / "zarr.json").write_text(
        '{"zarr_format": 3, "node_type": "group", "attributes": {"conventions": ["CF-1.10"]}}'
    )
    code, _, _ = _call(capsys, str(store), "--yes")
    root = json.loads((store / "zarr.json").read_text())
    assert (code, root["attributes"]) == (0, {"conventions": "NZ-1.0 CF-1.10"})


def test_conventions_that_say_nothing_are_left_to_a_person(store: Path, capsys: Any) -> None:
    (store / "zarr.json").write_text(
        '{"zarr_format": 3, "node_type": "group", "attributes": {"conventions": 5}}'
    )
    code, out, _ = _call(capsys, str(store), "--yes")
    assert code == 1
    assert "NZ-DECL-002 / /attributes/conventions" in out


def test_a_store_of_zarr_v2_is_told_so(tmp_path: Path, capsys: Any) -> None:
    zarr.open_group(tmp_path, mode="w", zarr_format=2)
    code, _, err = _call(capsys, str(tmp_path), "--yes")
    assert code == 2
    assert "is Zarr v2" in err


@pytest.mark.parametrize(
    "said",
    [
        {"dimension_names": ["_scalar_"]},
        {"attributes": {"_nczarr_array": {"dimension_references": [], "scalar": 1}}},
    ],
    ids=["by the name of its dimension", "by the mark of netCDF-C"],
)
def test_a_scalar_stored_as_one_element_becomes_one_where_its_chunk_keeps_its_key(
    said: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    store = tmp_path / "s.zarr"
    root = zarr.open_group(store, mode="w", attributes={"conventions": "NZ-1.0"})
    for name, encoding in (("old", "v2"), ("new", "default")):
        root.create_array(
            name,
            data=np.array([7.5]),
            **said,
            chunk_key_encoding={"name": encoding, "separator": "/"},  # type: ignore[arg-type]
        )
    code, out, _ = _call(capsys, str(store), "--yes")
    assert code == 0
    left = out.partition("left as it is, because values would have to be written")[2]
    assert "/new" in left
    assert "/old" not in left
    opened = zarr.open_group(store, mode="r")
    assert opened["old"][()] == 7.5  # type: ignore[index]
    assert opened["old"].shape == ()  # type: ignore[union-attr]
    assert opened["new"].shape == (1,)  # type: ignore[union-attr]
    assert float(xr.open_zarr(store, consolidated=False)["old"]) == 7.5
