"""Fixes of the settings of codecs: readers decode the same values afterwards, whatever was written."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonpatch
import numcodecs  # type: ignore[import-untyped]
import numpy as np
import pytest
import zarr

import nz_explorer as nz
from tests.corpus.cases import BASES

VALUES = np.arange(3, dtype="<f4")
STORED = {
    "zstd": numcodecs.Zstd(1).encode(VALUES.tobytes()),
    "gzip": numcodecs.GZip(1).encode(VALUES.tobytes()),
    "blosc": numcodecs.Blosc("lz4", 5, 1).encode(VALUES.tobytes()),
}


@pytest.mark.parametrize(
    "codec",
    [
        "zstd",
        "gzip",
        "blosc",
        {"name": "zstd"},
        {"name": "zstd", "configuration": {"level": 2.5, "checksum": 0}},
        {"name": "zstd", "configuration": {"level": "3", "window": 1}},
        {"name": "gzip", "configuration": {"level": 12}},
        {"name": "gzip", "configuration": {"level": None}},
        {"name": "blosc", "configuration": {}},
        {"name": "blosc", "configuration": {"cname": "LZ4", "clevel": 10, "shuffle": 1}},
        {
            "name": "blosc",
            "configuration": {"cname": None, "clevel": "5", "shuffle": "none", "blocksize": -1},
        },
    ],
    ids=json.dumps,
)
def test_settings_are_mended_and_the_values_stay(codec: Any, tmp_path: Path) -> None:
    name = codec if isinstance(codec, str) else codec["name"]
    document = copy.deepcopy(BASES["plain"]["x/zarr.json"]["json"])
    document |= {"data_type": "float32", "codecs": [*document["codecs"], codec]}
    (tmp_path / "x/c").mkdir(parents=True)
    (tmp_path / "zarr.json").write_text(json.dumps(BASES["plain"]["zarr.json"]["json"]))
    (tmp_path / "x/c/0").write_bytes(STORED[name])
    while True:
        (tmp_path / "x/zarr.json").write_text(json.dumps(document))
        found = nz.check(tmp_path, select=["Z3-CODEC"], progress=False).findings
        if not found:
            break
        fix = found[0].fix
        assert fix is not None
        assert fix.safety == "safe"
        changed = jsonpatch.apply_patch(document, [dict(one) for one in fix.patch])
        assert json.dumps(changed) != json.dumps(document)  # 0 is no false
        document = changed
    assert zarr.open_array(tmp_path / "x", mode="r")[...] == pytest.approx(VALUES)
