"""Two stores compared, from Python and from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli import main


@pytest.fixture
def copy(sample_store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_store, tmp_path / "copy.zarr"))


def change(document: Path, **members: object) -> None:
    meta = json.loads(document.read_text())
    meta.update(members)
    document.write_text(json.dumps(meta))


def test_a_copy_is_equal(sample_store: Path, copy: Path) -> None:
    comparison = nz.compare(sample_store, copy)
    assert comparison.equal
    assert "no differences" in comparison.to_text()


def test_what_differs_is_named_with_both_sides(sample_store: Path, copy: Path) -> None:
    document = copy / "ocean" / "salinity" / "zarr.json"
    meta = json.loads(document.read_text())
    attributes = {**meta["attributes"], "units": "g/kg", "note": "\x1b[31mred"}
    del attributes["standard_name"]
    change(document, attributes=attributes)
    shutil.rmtree(copy / "ocean" / "depth")
    found = {
        (c.kind, c.path, c.name): (c.left, c.right) for c in nz.compare(sample_store, copy).changes
    }
    assert found["node", "/ocean/depth", ""] == ("array", None)
    assert found["attribute", "/ocean/salinity", "units"] == ('"1"', '"g/kg"')
    assert found["attribute", "/ocean/salinity", "standard_name"][1] is None
    assert found["attribute", "/ocean/salinity", "note"][0] is None
    assert any(kind == "finding" and name == "NZ-CONS-004" for kind, _, name in found)
    assert "\x1b" not in nz.compare(sample_store, copy).to_text()


def test_a_notebook_shows_what_differs(tmp_path: Path) -> None:
    left, right = (zarr.open_group(tmp_path / name, mode="w", zarr_format=3) for name in "ab")
    left.attrs["title"] = "<script>alert(1)</script>"
    right.attrs.update({f"name{number}": number for number in range(300)})
    page = nz.compare(tmp_path / "a", tmp_path / "b")._repr_html_()
    assert "Attributes (301)" in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert page.count("\n") == 200
    assert "more lines: to_text() has all" in page


def test_dimensions_and_long_values_are_compared_whole(tmp_path: Path) -> None:
    for name, length in (("a", 4), ("b", 5)):
        group = zarr.open_group(tmp_path / name, mode="w", zarr_format=3)
        group.create_array("x", shape=(length,), dtype="f4", dimension_names=["x"])
        group.attrs["long"] = [*range(100), length]
    found = {(c.kind, c.name) for c in nz.compare(tmp_path / "a", tmp_path / "b").changes}
    assert {("dimension", "x"), ("metadata", "shape"), ("attribute", "long")} <= found


def test_formats_are_compared_by_meaning(tmp_path: Path) -> None:
    for version in (2, 3):
        group = zarr.open_group(tmp_path / str(version), mode="w", zarr_format=version)
        names = {"dimension_names": ["x"]} if version == 3 else {}
        array = group.create_array("x", data=np.arange(4.0), compressors=None, **names)
        if version == 2:
            array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    found = nz.compare(tmp_path / "2", tmp_path / "3").changes
    assert {
        (c.kind, c.name) for c in found if c.kind in ("store", "node", "attribute", "dimension")
    } == {("store", "format")}


def test_the_command_tells_by_its_exit_code(sample_store: Path, copy: Path, tmp_path: Path) -> None:
    def run(*arguments: object) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["diff", *map(str, arguments)])
        return done.exit_code, done.output

    assert run(sample_store, copy)[0] == 0
    change(copy / "ocean" / "zarr.json", attributes={"title": "another"})
    code, text = run(sample_store, copy)
    assert code == 1
    assert "/ocean  title" in text
    code, text = run(sample_store, copy, "--format", "json")
    assert code == 1
    assert json.loads(text)["schema"] == "nz-explorer/comparison/1"
    assert not json.loads(text)["equal"]
    code, text = run(sample_store, tmp_path / "nowhere")
    assert (code, text.count("\n")) == (2, 1)
    assert run(sample_store, copy, "--conventions", "none")[0] == 2
