"""Chunks and archives that would unpack to far more than they are, and shapes that nobody can read."""

from __future__ import annotations

import bz2
import json
import resource
import subprocess
import sys
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
from nz_explorer.plots import make
from nz_explorer.store import SourceError, resolve
from nz_explorer.store.local import local_reader
from nz_explorer.values.masks.cell_states import UNREADABLE
from nz_explorer.values.reading import unpacking
from tests.hostile.cases import ARRAY, Memory
from tests.versions import not_with_the_oldest

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
SOME = ("gzip", "zstd", "blosc")
"""Those of zarr's own codecs."""


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@pytest.mark.parametrize(
    "codec",
    [*SOME, *(pytest.param(one, marks=not_with_the_oldest) for one in BOMBS if one not in SOME)],
)
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


def zstd_stream(size: int, stated: int | None = None) -> bytes:
    """Return a frame of as many bytes in blocks that repeat one, which states another size or none."""
    head = b"\x00\x58" if stated is None else b"\x80\x58" + stated.to_bytes(4, "little")
    blocks = [2**17] * (size // 2**17) + ([size % 2**17] if size % 2**17 or not size else [])
    heads = (length << 3 | 2 | (at == len(blocks)) for at, length in enumerate(blocks, 1))
    return b"\x28\xb5\x2f\xfd" + head + b"".join(h.to_bytes(3, "little") + b"\x07" for h in heads)


def checksum(data: bytes) -> bytes:
    import google_crc32c

    return int(google_crc32c.value(data)).to_bytes(4, "little")


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
CRC = {"name": "crc32c"}
SMALL = bytes(Zstd(1).encode(bytes(10)))
GIB = 2**30
HIDDEN: dict[str, tuple[list[dict[str, Any]], Callable[[], bytes]]] = {
    "no size": ([ZSTD], lambda: zstd_stream(GIB)),
    "a false size": ([ZSTD], lambda: zstd_stream(GIB, 24) + zstd_stream(24)),
    "a size of 0": ([ZSTD], lambda: zstd_stream(GIB, 0)),
    "behind another frame": ([ZSTD], lambda: SMALL + zstd_stream(GIB)),
    "behind a frame that is skipped": ([ZSTD], lambda: b"\x50\x2a\x4d\x18" + bytes(4) + zstd_stream(GIB)),
    "behind a checksum": ([ZSTD, CRC], lambda: zstd_stream(GIB) + checksum(zstd_stream(GIB))),
    "behind another codec": ([ZSTD, GZIP], lambda: zlib.compress(zstd_stream(GIB), wbits=31)),
    "behind another member": ([GZIP], lambda: zlib.compress(b"x", wbits=31) + 4 * gzip_bomb()),
    "a blosc head that lies": (
        BOMBS["blosc"][0],
        lambda: (b := bytes(Blosc("zstd", 1).encode(bytes(24))))[:4] + GIB.to_bytes(4, "little") + b[8:],
    ),
    "an lz4 head that lies": (BOMBS["lz4"][0], lambda: GIB.to_bytes(4, "little") + bytes(LZ4().encode(bytes(24)))[4:]),
}  # fmt: skip

LOOK = """
import resource, sys
from pathlib import Path
from nz_explorer.model import open_store
from nz_explorer.plots import make
make(open_store(Path(sys.argv[1])), "/", {})  # all that is imported
now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))
for name in sys.argv[2:]:
    print((make(open_store(Path(name)), "/", {}).errors or [None])[0])
"""


@not_with_the_oldest
@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
def test_what_does_not_state_its_size_or_a_false_one_is_unpacked_no_further(tmp_path: Path) -> None:
    def write(name: str, codecs: list[dict[str, Any]], chunk: bytes) -> str:
        document = {**ARRAY, "attributes": {}, "codecs": [LITTLE, *codecs]}
        (tmp_path / name / "c" / "0").mkdir(parents=True)
        (tmp_path / name / "zarr.json").write_text(json.dumps(document))
        (tmp_path / name / "c" / "0" / "0").write_bytes(chunk)
        return str(tmp_path / name)

    good = write("good", [ZSTD], SMALL)
    bad = [write(name, codecs, bomb()) for name, (codecs, bomb) in HIDDEN.items()]
    command = [sys.executable, "-W", "ignore", "-c", LOOK, good, *bad]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said = dict(zip(HIDDEN, done.stdout.splitlines(), strict=True))
    assert "invalid input data" in said.pop("a size of 0")  # numcodecs does not unpack it at all
    assert {name for name, text in said.items() if "would unpack to" not in text} == set()


@pytest.mark.parametrize("size", [0, 1, 100, 2**17, 2**17 + 1, 3 * 2**20])
def test_a_zstd_stream_without_its_size_is_read(tmp_path: Path, size: int) -> None:
    from zarr.codecs import ZstdCodec

    for chunk in (zstd_stream(size), zstd_stream(size) + zstd_stream(0), SMALL):
        length = 10 if chunk is SMALL else size
        array = zarr.create_array(
            tmp_path, shape=(length,), chunks=(max(1, length),), dtype="u1", compressors=ZstdCodec(),
            overwrite=True,
        )  # fmt: skip
        (tmp_path / "c").mkdir(exist_ok=True)
        (tmp_path / "c" / "0").write_bytes(chunk)
        if length:
            assert array[0] == (0 if chunk is SMALL else 7)
            look = make(open_store(tmp_path), "/", {})
            assert look.errors == ()


def test_many_small_blocks_are_no_bomb() -> None:
    """What they could hold is far more than what they hold."""
    head = b"\x28\xb5\x2f\xfd\x00\x58"
    one = (1 << 3 | 2).to_bytes(3, "little") + b"\x07"
    last = (1 << 3 | 3).to_bytes(3, "little") + b"\x07"
    assert unpacking._zstd_size(head + 200_000 * one + last, 2**18) == 0
    assert unpacking._zstd_size(head + 200_000 * one + last, 2**17) > 2**17


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
    assert "2,147,483,648 elements, where 6 are expected" in look.errors[0].message
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
    monkeypatch.setattr(local_reader, "MAX_DOCUMENT_BYTES", 100_000)
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
