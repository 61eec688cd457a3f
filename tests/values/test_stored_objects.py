"""The filter of objects that the metadata have lost is found by the first chunk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.values.reading.stored_objects import filter_of_objects


def lost(folder: Path, codec: Any, values: list[Any], compressor: Any = None) -> Path:
    """Return a store whose one array was written by a codec for objects, and does not say so."""
    zarr.create_group(folder, zarr_format=2, attributes={"conventions": "NZ-1.0"})
    data = codec.encode(np.array(values, dtype=object))
    if compressor is not None:
        data = compressor.encode(data)
    array = {
        "zarr_format": 2,
        "shape": [len(values)],
        "chunks": [len(values)],
        "dtype": "|O",
        "fill_value": None,
        "order": "C",
        "filters": None,
        "compressor": None if compressor is None else compressor.get_config(),
    }
    (folder / "names").mkdir()
    (folder / "names" / ".zarray").write_text(json.dumps(array))
    (folder / "names" / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": ["n"]}))
    (folder / "names" / "0").write_bytes(data)
    return folder


@pytest.mark.parametrize("compressor", [None, numcodecs.Zstd(), numcodecs.Blosc()])
@pytest.mark.parametrize(
    ("codec", "values", "found"),
    [
        (numcodecs.VLenUTF8(), ["", "Zürich", "b" * 300], "vlen-utf8"),
        (numcodecs.VLenBytes(), [b"\xff\xfe", b"", b"abc"], "vlen-bytes"),
        (numcodecs.JSON(), ["a", None, "ccc"], "json2"),
        (numcodecs.Pickle(), ["a", "b", "c"], None),
    ],
)
def test_the_first_chunk_tells(
    tmp_path: Path, codec: Any, values: list[Any], found: str | None, compressor: Any
) -> None:
    store = lost(tmp_path / "s.zarr", codec, values, compressor)
    assert filter_of_objects(nz.open_store(store)["names"]) == (found and {"id": found})


@pytest.mark.parametrize(
    "data", [b"", b"\x01\x00", b"\x02\x00\x00\x00\x01\x00\x00\x00a", b"[1, 2]", None]
)
def test_bytes_of_another_kind_tell_nothing(tmp_path: Path, data: bytes | None) -> None:
    store = lost(tmp_path / "s.zarr", numcodecs.VLenUTF8(), ["a", "b"])
    if data is None:
        (store / "names" / "0").unlink()
    else:
        (store / "names" / "0").write_bytes(data)
    assert filter_of_objects(nz.open_store(store)["names"]) is None


def test_zarr_reads_the_array_that_was_fixed(tmp_path: Path) -> None:
    store = lost(tmp_path / "s.zarr", numcodecs.VLenUTF8(), ["a", "Zürich"], numcodecs.Zstd())
    with pytest.raises(ValueError, match="object_codec_id"):
        zarr.open_group(store, mode="r")["names"]
    evaluation = evaluate(nz.open_store(store, mode="r+"))
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == "Z2-DT-001"]
    what_if = WhatIf(evaluation)
    what_if.apply(finding)
    nz.apply(what_if).write()
    assert list(zarr.open_group(store, mode="r")["names"][:]) == ["a", "Zürich"]
