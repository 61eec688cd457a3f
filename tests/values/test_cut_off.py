"""Chunks that are cut off are told to be, also where a codec would read on in memory that is not theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec

import nz_explorer as nz
from nz_explorer.values.reading import unpacking

RULES = {2: "Z2-CHUNK-004", 3: "Z3-CHUNK-003"}
WHOLE = bytes(numcodecs.Blosc(cname="lz4").encode(np.arange(3, dtype="<f4").tobytes()))


def _checked(folder: Path, zarr_format: Any, change: Any) -> list[Any]:
    """Check an array of three numbers, after a change of its chunk."""
    packer = numcodecs.Blosc(cname="lz4") if zarr_format == 2 else BloscCodec(cname="lz4")
    made = zarr.create_array(
        folder, shape=(3,), chunks=(3,), dtype="f4", zarr_format=zarr_format, compressors=packer
    )
    made[...] = np.arange(3)
    chunk = folder / ("0" if zarr_format == 2 else "c/0")
    chunk.write_bytes(change(chunk.read_bytes()))
    report = nz.check(folder, values="all", progress=False)
    return [one for one in report.findings if one.rule == RULES[zarr_format]]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("length", [1, 14, 20, len(WHOLE) - 1])
def test_a_chunk_of_blosc_that_is_cut_off_is_not_decoded(
    tmp_path: Path, zarr_format: int, length: int
) -> None:
    found = _checked(tmp_path, zarr_format, lambda data: data[:length])
    assert len(found) == 1
    assert unpacking.CUT_OFF in found[0].message
    assert "other ones each time" in found[0].readers["zarr-python"]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("more", [b"", b"\0"])
def test_a_chunk_of_blosc_that_is_whole_is_decoded(
    tmp_path: Path, zarr_format: int, more: bytes
) -> None:
    assert _checked(tmp_path, zarr_format, lambda data: data + more) == []


def test_the_message_has_the_bytes_that_are_there_and_should_be() -> None:
    codec = numcodecs.Blosc()
    with pytest.raises(ValueError, match=f"it has 20 of {len(WHOLE)} bytes$"):
        unpacking.stated_size(codec, WHOLE[:20], 100)
    with pytest.raises(ValueError, match=r"it has 1 byte$"):
        unpacking.stated_size(codec, WHOLE[:1], 100)
    assert unpacking.stated_size(codec, WHOLE, 100) == 12


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("first", [3, 0x78])
def test_what_blosc_has_not_made_is_not_called_cut_off(
    tmp_path: Path, zarr_format: int, first: int
) -> None:
    change = bytes([first]) + bytes([255]) * 30
    found = _checked(tmp_path, zarr_format, lambda _data: change)
    assert len(found) == 1
    assert unpacking.CUT_OFF not in found[0].message
    assert f"the first byte is {first}, and of what blosc makes it is 2" in found[0].message
    assert "other ones each time" not in found[0].readers["zarr-python"]
    with pytest.raises(RuntimeError, match="error during blosc decompression"):
        numcodecs.Blosc().decode(change)
