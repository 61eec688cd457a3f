"""Chunks and archives that would unpack to far more than they are, and shapes that nobody can read."""

from __future__ import annotations

import bz2
import json
import resource
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from numcodecs import LZ4, LZMA, Blosc, Zstd

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.quicklook import make
from nz_explorer.store import SourceError, folder, resolve, zipped
from nz_explorer.values.states import UNREADABLE
from tests.hostile.cases import ARRAY, Memory

ZEROS = bytes(2**27)


def peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(ZEROS) for _ in range(2)), packer.flush()])


BOMBS: dict[str, tuple[list[dict[str, Any]], Callable[[], bytes]]] = {
    "gzip": ([{"name": "gzip", "configuration": {"level": 1}}], gzip_bomb),
    "zstd": (
        [{"name": "zstd", "configuration": {"level": 1, "checksum": False}}],
        lambda: bytes(Zstd(1).encode(ZEROS)),
    ),
    "blosc": (
        [{"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "typesize": 1, "blocksize": 0}}],
        lambda: bytes(Blosc("zstd", 1).encode(ZEROS)),
    ),
    "bz2": ([{"name": "numcodecs.bz2", "configuration": {"level": 9}}], lambda: bz2.compress(ZEROS)),
    "lz4": ([{"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}], lambda: bytes(LZ4().encode(ZEROS))),
    "lzma": ([{"name": "numcodecs.lzma", "configuration": {}}], lambda: bytes(LZMA(preset=0).encode(ZEROS))),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@pytest.mark.parametrize("codec", BOMBS)
def test_a_chunk_that_is_a_bomb_is_unreadable(codec: str) -> None:
    codecs, bomb = BOMBS[codec]
    document = {**ARRAY, "attributes": {}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, *codecs]}  # fmt: skip
    store = Memory({"zarr.json": json.dumps(document).encode(), "c/0/0": bomb()})
    before = peak()
    look = make(open_store(store), "/", {})
    assert "would unpack to" in look.errors[0].message
    assert look.cell_states is not None
    assert (look.cell_states[:2, :3] == UNREADABLE).all()
    assert peak() - before < 2**27


def test_texts_that_claim_to_be_billions_are_not_made_room_for() -> None:
    document = {
        **ARRAY,
        "data_type": "string",
        "fill_value": "",
        "codecs": [{"name": "vlen-utf8"}],
        "attributes": {},
    }
    chunk = (2**31).to_bytes(4, "little") + b"\x00" * 64
    store = Memory({"zarr.json": json.dumps(document).encode(), "c/0/0": chunk})
    before = peak()
    look = make(open_store(store), "/", {})
    assert "2147483648 elements, where 6 are expected" in look.errors[0].message
    assert peak() - before < 2**27


def test_ordinary_chunks_of_every_codec_are_read(tmp_path: Path) -> None:
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

    values = np.arange(10_000, dtype="f8").reshape(100, 100)
    zeros = np.zeros((2000, 2000), "f8")  # packs to a thousandth
    for number, codec in enumerate((GzipCodec(), ZstdCodec(), BloscCodec())):
        for name, data in (("values", values), ("zeros", zeros + 1)):
            path = tmp_path / f"{name}{number}.zarr"
            array = zarr.create_array(path, shape=data.shape, chunks=data.shape, dtype="f8", compressors=codec)  # fmt: skip
            array[...] = data
            look = make(open_store(path), "/", {})
            assert look.errors == ()
            assert look.cell_states is not None
            assert not (look.cell_states == UNREADABLE).any()


@pytest.mark.parametrize(
    ("shape", "chunk"),
    [
        ([2**40, 2**40], [1000, 1000]),
        ([2**40, 2**40], [2**40, 2**40]),
        ([2**62, 2**62], [1, 1]),
        ([10**30], [10**29]),
        ([1] * 200, [1] * 200),
        ([2**31 - 1], [1]),
    ],
)
def test_giant_shapes_cost_nothing(shape: list[int], chunk: list[int]) -> None:
    document = {
        **ARRAY,
        "shape": shape,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "dimension_names": None,
        "attributes": {},
    }
    before = peak()
    store = Memory({"zarr.json": json.dumps(document).encode()})
    report = nz.check(store, progress=False)
    assert report.nodes["arrays"] == 1
    look = make(open_store(store), "/", {}, width=100, height=100)
    assert look.message or look.values is not None or look.text
    assert peak() - before < 2**28


# --- documents ----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [150, 3000, 2_000_000])
@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_a_document_nested_like_a_bomb_is_a_state(depth: int, brackets: str) -> None:
    opening, closing = ('{"a":', "}") if brackets.startswith("{") else ("[", "]")
    text = '{"zarr_format": 3, "node_type": "group", "attributes": {"x": ' + opening * depth
    text += "1" + closing * depth + "}}"
    report = nz.check(Memory({"zarr.json": text.encode()}), progress=False)
    assert report.nodes["groups"] + report.nodes["unreadable"] == 1
    assert report.to_html()


def test_a_giant_document_is_refused_by_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MAX_DOCUMENT_BYTES", 100_000)
    monkeypatch.setattr(zipped, "MAX_DOCUMENT_BYTES", 100_000)
    document = json.dumps(
        {"zarr_format": 3, "node_type": "group", "attributes": {"a": "x" * 200_000}}
    )
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "zarr.json").write_text(document)
    with zipfile.ZipFile(tmp_path / "s.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zarr.json", document)
    for source in (tmp_path / "s", tmp_path / "s.zip"):
        assert open_store(source).root.state == "unreadable"
        with pytest.raises(SourceError, match="bytes"):
            nz.check(source, progress=False)


def test_an_archive_that_lies_about_sizes_is_not_believed(tmp_path: Path) -> None:
    """A member whose header says ten bytes and which unpacks to a quarter of a gigabyte."""
    file = tmp_path / "lies.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zarr.json", b" " * 2**28)
    data = file.read_bytes()
    size = (2**28).to_bytes(4, "little")
    assert data.count(size) >= 2
    file.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    before = peak()
    (answer,) = resolve(file).get_many(["zarr.json"])
    assert peak() - before < 2**27
    assert not isinstance(answer, bytes) or len(answer) <= 10


def test_names_in_an_archive_that_lead_outside_are_no_keys(tmp_path: Path) -> None:
    file = tmp_path / "slip.zip"
    group = json.dumps({"zarr_format": 3, "node_type": "group"})
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("zarr.json", "a/zarr.json", "../evil/zarr.json", "/etc/zarr.json",
                     "a/../../b/zarr.json", "a//c/zarr.json", "./d/zarr.json", "e\\..\\f/zarr.json"):  # fmt: skip
            archive.writestr(name, group)
    hierarchy = open_store(file)
    assert [node.path for node in hierarchy.walk()] == ["/", "/a"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slip.zip"]
