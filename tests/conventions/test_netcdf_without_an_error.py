"""What netCDF-C does not show, or shows as other values, without an error: the rules tell of it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import netCDF4
import pytest

import nz_explorer as nz
from nz_explorer.diagnosis.impact import Forecast

VALUES = bytes([1, 2, 3, 4])
STORE: dict[str, Any] = {
    ".zgroup": {"zarr_format": 2},
    "a/.zattrs": {"_ARRAY_DIMENSIONS": ["y", "x"]},
    "a/.zarray": {
        "zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|u1",
        "compressor": None, "fill_value": 0, "order": "C", "filters": None,
    },
    "a/0.0": VALUES,
}  # fmt: skip


def write(folder: Path, keys: dict[str, Any]) -> Path:
    for key, content in keys.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / key).write_bytes(data)
    return folder


def predicted(folder: Path) -> Forecast:
    return nz.check(folder, values="all", progress=False).readers["netCDF-C"]


@pytest.mark.parametrize(
    ("key", "stored", "rule"),
    [
        ("0/0", VALUES, "Z2-ARR-010"),
        ("c/0/0", VALUES, "Z2-CHUNK-001"),
        ("0_0", VALUES, "Z2-CHUNK-001"),
        ("0.0", zlib.compress(VALUES), "Z2-CHUNK-004"),
    ],
)
def test_other_values(key: str, stored: bytes, rule: str, tmp_path: Path) -> None:
    keys = {name: content for name, content in STORE.items() if name != "a/0.0"}
    store = write(tmp_path, keys | {f"a/{key}": stored})
    found = predicted(store)
    assert (found.opens, found.misled_by) == (True, (rule,))
    with netCDF4.Dataset(f"{store.as_uri()}#mode=zarr,file") as dataset:
        assert dataset["a"][:].tobytes() != VALUES


@pytest.mark.parametrize(
    ("names", "rule"),
    [
        ({"a/.zarray": "a/zarray"}, "TREE-013"),
        ({"a/.zarray": "a/meta", "a/.zattrs": "a/attrs"}, "TREE-013"),
        ({"a/.zarray": None}, "TREE-014"),
        ({"a/.zarray": None, "a/.zattrs": None}, "TREE-014"),
        ({name: name.replace("/", "\\") for name in STORE}, "TREE-015"),
    ],
)
def test_an_array_that_is_not_shown(
    names: dict[str, str | None], rule: str, tmp_path: Path
) -> None:
    keys = {names.get(name, name): content for name, content in STORE.items()}
    store = write(tmp_path, {name: content for name, content in keys.items() if name is not None})
    assert predicted(store).misled_by == (rule,)
    with netCDF4.Dataset(f"{store.as_uri()}#mode=zarr,file") as dataset:
        assert "a" not in dataset.variables


@pytest.mark.parametrize("text", ["12", "1e-05", "0.99999999", "-2.5e-07", "3e+22"])
def test_the_character_that_is_left_of_a_number_that_is_text(tmp_path: Path, text: str) -> None:
    address = f"{(tmp_path / 'store').as_uri()}#mode=nczarr,file"
    with netCDF4.Dataset(address, "w") as written:
        written.precision = text
    with netCDF4.Dataset(address) as read:
        left = read.precision
    assert len(left) == 1
    report = nz.check(tmp_path / "store", conventions="nczarr", progress=False)
    (said,) = [finding.readers for finding in report.findings if finding.rule == "NCZ-ATT-003"]
    assert said == {"netCDF-C": f'reads "{left}" in place of "{text}" (4.10)'}
