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
        {"name": "gzip", "configuration": None},
        {"name": "blosc", "configuration": None},
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
        found = nz.check(tmp_path, select=["Z3-CODEC", "Z3-EXT"], progress=False).findings
        if not found:
            break
        fix = found[0].fix
        assert fix is not None
        assert fix.safety == "safe"
        changed = jsonpatch.apply_patch(document, [dict(one) for one in fix.patch])
        assert json.dumps(changed) != json.dumps(document)  # 0 is no false
        document = changed
    assert zarr.open_array(tmp_path / "x", mode="r")[...] == pytest.approx(VALUES)


def _check(folder: Path, rule: str, array: dict[str, Any], chunk: str = "") -> list[nz.Finding]:
    (folder / "a").mkdir(exist_ok=True)
    (folder / "zarr.json").write_text(json.dumps(BASES["plain"]["zarr.json"]["json"]))
    (folder / "a/zarr.json").write_text(json.dumps(BASES["plain"]["a/zarr.json"]["json"] | array))
    if chunk:
        (folder / "a" / chunk).parent.mkdir(parents=True, exist_ok=True)
        (folder / "a" / chunk).write_bytes(np.ones(6, "<f4").tobytes())
    return list(nz.check(folder, select=[rule], progress=False).findings)


@pytest.mark.parametrize(
    ("codec", "configured"),
    [("numcodecs.adler32", {}), ("numcodecs.zlib", {}), ("numcodecs.quantize", None)],
)
def test_a_codec_of_numcodecs_is_configured_where_it_has_defaults(
    codec: str, configured: dict[str, Any] | None, tmp_path: Path
) -> None:
    codecs = [{"name": codec}, {"name": "bytes", "configuration": {"endian": "little"}}]
    found = _check(tmp_path, "Z3-CODEC-012", {"codecs": codecs})
    (fix,) = [one.fix for one in found if one.fix is not None]
    assert [operation["value"] for operation in fix.patch] == (
        [] if configured is None else [configured]
    )
    if configured is not None:
        mended = [{"name": codec, "configuration": configured}, codecs[1]]
        left = _check(tmp_path, "Z3-CODEC-012", {"codecs": mended})
        assert [one.pointer for one in left] == ["/codecs/0"]


@pytest.mark.parametrize(
    ("chunk", "encoding"),
    [
        ("c/0/0", {"name": "default", "configuration": {"separator": "/"}}),
        ("0.0", {"name": "v2", "configuration": {"separator": "."}}),
        ("0/0", {"name": "v2", "configuration": {"separator": "/"}}),
        ("c/0", None),
        ("c/0/0/0", None),
        ("0", None),
    ],
)
def test_keys_are_declared_as_they_are_only_where_they_are_as_deep(
    chunk: str, encoding: dict[str, Any] | None, tmp_path: Path
) -> None:
    dots = {"name": "default", "configuration": {"separator": "."}}
    (found,) = _check(tmp_path, "Z3-CHUNK-005", {"chunk_key_encoding": dots}, chunk)
    given = None if found.fix is None else found.fix.patch[0]["value"]
    assert given == encoding
    if encoding is not None:
        assert not _check(tmp_path, "Z3-CHUNK-005", {"chunk_key_encoding": encoding})
        assert (zarr.open_array(tmp_path / "a", mode="r")[...] == 1).all()


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"name": "zstd", "level": 1}, {"name": "zstd", "configuration": {"level": 1}}),
        (
            {"name": "zstd", "checksum": True, "configuration": {"level": 1}},
            {"name": "zstd", "configuration": {"level": 1, "checksum": True}},
        ),
        ({"name": "zstd", "level": 1, "configuration": {"level": 2}}, None),
        (
            {
                "name": "blosc",
                "clevel": 5,
                "cname": "lz4",
                "shuffle": "shuffle",
                "typesize": 4,
                "blocksize": 0,
            },
            {
                "name": "blosc",
                "configuration": {
                    "clevel": 5,
                    "cname": "lz4",
                    "shuffle": "shuffle",
                    "typesize": 4,
                    "blocksize": 0,
                },
            },
        ),
    ],
)
def test_a_setting_beside_the_name_moves_into_the_configuration(
    given: dict[str, Any], right: dict[str, Any] | None, tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w").create_array("a", shape=(2,), dtype="i4")
    document = tmp_path / "a" / "zarr.json"
    raw = json.loads(document.read_text())
    raw["codecs"][1:] = [given]
    document.write_text(json.dumps(raw))
    findings = nz.check(tmp_path, select=["Z3-EXT-003"], progress=False).findings
    assert len(findings) == len(given.keys() - {"name", "configuration"})
    for finding in findings:  # each with all others, without which readers do not know the codec
        if right is None:
            assert finding.fix is None
            continue
        assert finding.fix is not None
        made = jsonpatch.apply_patch(raw, [dict(one) for one in finding.fix.patch])
        assert made["codecs"][1] == right


@pytest.mark.parametrize(
    ("given", "compressor"),
    [
        ({"compression": "zlib", "compression_opts": 3}, {"id": "zlib", "level": 3}),
        ({"compression": "zlib"}, {"id": "zlib", "level": 1}),
        ({"compression": "none", "compression_opts": None}, None),
        (
            {
                "compression": "blosc",
                "compression_opts": {"cname": "lz4", "clevel": 5, "shuffle": 1},
            },
            {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
        ),
    ],
)
def test_compression_of_zarr_v1(tmp_path: Path, given: dict[str, Any], compressor: Any) -> None:
    """As text under the right name it would be no compressor."""
    metadata = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "order": "C"}
    metadata |= {"filters": None, "fill_value": 0, **given}
    (tmp_path / ".zarray").write_text(json.dumps(metadata), "utf-8")
    store = nz.open_store(tmp_path, mode="r+")
    found = nz.check(store, select=["Z2-ARR-003"], progress=False).findings
    nz.apply(found, store).write()
    fixed = json.loads((tmp_path / ".zarray").read_text("utf-8"))
    assert fixed["compressor"] == compressor
    assert not {"compression", "compression_opts"} & fixed.keys()
