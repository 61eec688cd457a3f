"""Folders and zip files that hold more than they should, or lead elsewhere: nothing of it is read."""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from zarr.core.buffer import default_buffer_prototype

from nz_explorer.diagnosis.trial import try_reader
from nz_explorer.model import open_store
from nz_explorer.store import ReadError, TooLarge, resolve
from nz_explorer.store.local import local_reader
from nz_explorer.store.local.contained_store import ContainedStore
from nz_explorer.store.local.zip_members import read_member
from nz_explorer.store.remote.loop import wait_for
from tests.hostile.cases import ARRAY
from tests.hostile.test_size_limits import peak

MEBIBYTE = 2**20
PROTOTYPE = default_buffer_prototype()
links = pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")


def got(store: Any, key: str, part: Any = None) -> bytes | None:
    found = wait_for(store.get(key, PROTOTYPE, part))
    return None if found is None else found.to_bytes()


# --- sizes --------------------------------------------------------------------------------------


def test_a_sparse_file_is_measured_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "c" / "0").mkdir(parents=True)
    (tmp_path / "zarr.json").write_text(json.dumps({**ARRAY, "attributes": {}}))
    with (tmp_path / "c" / "0" / "0").open("wb") as file:
        file.truncate(6 * 2**30)
    reader = resolve(tmp_path)
    before = peak()
    # Documents and chunks have limits of their own, the latter also where nobody gives one.
    (answer,) = reader.get_many(["c/0/0"])
    assert isinstance(answer, TooLarge)
    for limit in (96, None):
        with pytest.raises(TooLarge) as caught:
            got(reader.zarr_store(max_bytes=limit), "c/0/0")
        assert caught.value.size == 6 * 2**30
    assert caught.value.limit == 2 * 2**30
    assert reader.get_many(["c/0/0"], max_bytes=96)[0].limit == 96  # type: ignore[union-attr]
    array = open_store(tmp_path).root
    import zarr

    with pytest.raises(TooLarge):
        _ = zarr.open_array(array.hierarchy.reader.zarr_store(), mode="r")[0, 0]
    assert peak() - before < 64 * MEBIBYTE


def test_a_file_that_grows_while_it_is_read_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "zarr.json"
    file.write_bytes(b" " * 100_000)  # more than is read before the size is asked for
    measure = os.fstat

    def then_grow(descriptor: int) -> os.stat_result:
        found = measure(descriptor)
        with file.open("ab") as more:
            more.truncate(10 * MEBIBYTE)
        return found

    monkeypatch.setattr(os, "fstat", then_grow)
    (answer,) = resolve(tmp_path).get_many(["zarr.json"], max_bytes=150_000)
    assert isinstance(answer, TooLarge)
    assert answer.size is None


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 16_383, 16_384, 16_385, 50_000])
@pytest.mark.parametrize(
    "packed", [None, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_the_limit_is_exact(tmp_path: Path, size: int, packed: int | None) -> None:
    from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest

    data = os.urandom(size)
    source = tmp_path
    if packed is None:
        (tmp_path / "zarr.json").write_bytes(data)
    else:
        source = tmp_path / "s.zip"
        with zipfile.ZipFile(source, "w", packed) as archive:
            archive.writestr("zarr.json", data)
    reader = resolve(source)
    assert reader.get("zarr.json", max_bytes=size) == data
    assert got(reader.zarr_store(max_bytes=size), "zarr.json") == data
    store = reader.zarr_store(max_bytes=50)
    for part, expected in (
        (RangeByteRequest(10, 60), data[10:60]),
        (OffsetByteRequest(max(0, size - 50)), data[-50:]),
        (SuffixByteRequest(50), data[-50:]),
        (RangeByteRequest(size, size + 50), b""),
    ):
        assert got(store, "zarr.json", part) == expected
    if size:
        with pytest.raises(TooLarge):
            reader.get("zarr.json", max_bytes=size - 1)
        with pytest.raises(TooLarge):
            got(reader.zarr_store(max_bytes=size - 1), "zarr.json")
    if size > 51:
        with pytest.raises(TooLarge):
            got(store, "zarr.json", RangeByteRequest(0, 51))


def archive_of(file: Path, method: int, data: bytes, stated: int | None = None) -> Path:
    """Write an archive with one chunk, which states a size of its own."""
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("zarr.json", b"{}")
        archive.writestr("c/0", data)
    if stated is not None:
        raw, size = file.read_bytes(), len(data).to_bytes(4, "little")
        assert raw.count(size) >= 2
        file.write_bytes(raw.replace(size, stated.to_bytes(4, "little")))
    return file


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("stated", [None, 10])
def test_a_member_unpacks_to_no_more_than_the_limit(
    tmp_path: Path, method: int, stated: int | None
) -> None:
    file = archive_of(tmp_path / "s.zip", method, bytes(2**26), stated)
    reader = resolve(file)
    before = peak()
    for read in (
        lambda: reader.get("c/0", max_bytes=1000),
        lambda: got(reader.zarr_store(max_bytes=1000), "c/0"),
    ):
        with pytest.raises(ReadError) as caught:
            read()
        # One that states less is damaged where its checksum should be.
        assert caught.value.reason == ("corrupt" if stated else "too large")
    assert peak() - before < 32 * MEBIBYTE


def test_a_member_that_needs_a_dictionary_of_gigabytes_is_a_state(tmp_path: Path) -> None:
    """An LZMA member says how much memory unpacking it takes."""
    import resource

    file = archive_of(tmp_path / "s.zip", zipfile.ZIP_LZMA, os.urandom(1000))
    raw = file.read_bytes()
    head = raw.index(b"\x05\x00\x5d", raw.index(b"c/0")) + 3
    file.write_bytes(raw[:head] + struct.pack("<I", 2**32 - 1) + raw[head + 4 :])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, hard))
    try:
        (answer,) = resolve(file).get_many(["c/0"])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert isinstance(answer, ReadError)


# --- links --------------------------------------------------------------------------------------


def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    file = tmp_path / "s.zip"
    link = zipfile.ZipInfo("zarr.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ReadError, match="symbolic link in a zip file"):
        resolve(file).get("zarr.json")
    with pytest.raises(ReadError, match="symbolic link in a zip file"):
        got(resolve(file).zarr_store(), "zarr.json")


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A store with a link to a file outside, one to a folder, one to nothing, and one inside."""
    (tmp_path / "outside" / "below").mkdir(parents=True)
    (tmp_path / "outside" / "secret").write_text("secret")
    (tmp_path / "outside" / "below" / "secret").write_text("secret")
    root = tmp_path / "store"
    (root / "own").mkdir(parents=True)
    (root / "own" / "value").write_text("value")
    (root / "file").symlink_to(tmp_path / "outside" / "secret")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "dangling").symlink_to(tmp_path / "outside" / "none")
    (root / "inside").symlink_to("own")
    return root


ASKS: dict[str, Callable[[ContainedStore, str], Any]] = {
    "get": lambda store, key: store.get(key, PROTOTYPE),
    "get_partial_values": lambda store, key: store.get_partial_values(PROTOTYPE, [(key, None)]),
    "exists": lambda store, key: store.exists(key),
    "getsize": lambda store, key: store.getsize(key),
}


@links
@pytest.mark.parametrize("ask", ASKS)
def test_no_method_tells_of_what_is_outside(linked: Path, ask: str) -> None:
    store = ContainedStore(linked)
    said = set()
    for key in ("file", "dangling", "folder/secret", "folder/none", "folder/below/secret"):
        with pytest.raises(ReadError) as caught:
            wait_for(ASKS[ask](store, key))
        said.add(caught.value.detail.partition(" ")[2])
    assert said == {"is a symbolic link that leaves the store, which is not followed"}
    assert wait_for(ASKS[ask](store, "inside/value"))
    for key in ("../outside/secret", "own/../../outside/secret", "/etc/passwd", ""):
        with pytest.raises(ReadError, match="could lead out of the store"):
            wait_for(ASKS[ask](store, key))
    if hasattr(store, "get_sync"):
        with pytest.raises(ReadError, match="leaves the store"):
            store.get_sync("file")


@links
def test_listings_tell_nothing_of_what_is_outside(linked: Path) -> None:
    store = ContainedStore(linked)

    async def names(listing: Any) -> set[str]:
        return {name async for name in listing}

    assert wait_for(names(store.list())) == {"own/value", "inside/value"}
    assert wait_for(names(store.list_prefix("own"))) == {"own/value"}
    assert "folder" in wait_for(names(store.list_dir("")))
    for listing in (
        store.list_dir("folder"),
        store.list_prefix("folder"),
        store.list_dir("folder/below"),
    ):
        with pytest.raises(ReadError, match="leaves the store"):
            wait_for(names(listing))
    with pytest.raises(ValueError, match="for reading"):
        store.with_read_only(False)
    followed: Any = resolve(linked, storage_options={"follow_links": True}).zarr_store()
    assert got(followed, "file") == b"secret"
    assert wait_for(followed.exists("folder/below/secret"))
    with pytest.raises(TooLarge):
        got(resolve(linked, storage_options={"follow_links": True}).zarr_store(max_bytes=5), "file")


@links
@pytest.mark.parametrize("reader", ["zarr-python", "xarray", "netCDF-C", "plain NZ"])
def test_readers_do_not_follow_links(tmp_path: Path, reader: str) -> None:
    if reader == "netCDF-C":
        pytest.importorskip("netCDF4")
    import xarray

    store = tmp_path / "store"
    xarray.Dataset(coords={"x": [1.0, 2.0, 3.0]}).to_zarr(store, consolidated=False, zarr_format=2)
    good = try_reader(reader, open_store(store), seconds=90)
    chunk = store / "x" / "0"
    shutil.move(chunk, tmp_path / "secret")
    chunk.symlink_to(tmp_path / "secret")
    trial = try_reader(reader, open_store(store), seconds=90)
    if reader == "netCDF-C":
        assert trial.state == "not tried"
        assert "x/0 is a symbolic link that leaves the store" in trial.message
    else:
        assert good.state == "reads"
        assert "leaves the store" in trial.failures[0].message
    # Unless someone wants it.
    followed = open_store(store, storage_options={"follow_links": True})
    again = try_reader(reader, followed, seconds=90)
    assert (again.state, again.failures) == (good.state, good.failures)


def test_the_limit_of_documents_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `MAX_DOCUMENT_BYTES` refuses in a folder it refuses in a zip file."""
    monkeypatch.setattr(local_reader, "MAX_DOCUMENT_BYTES", 100)
    (tmp_path / "zarr.json").write_bytes(bytes(101))
    file = archive_of(tmp_path / "s.zip", zipfile.ZIP_DEFLATED, bytes(101))
    for source, key in ((tmp_path, "zarr.json"), (file, "c/0")):
        (answer,) = resolve(source).get_many([key])
        assert isinstance(answer, TooLarge)
        assert (answer.size, answer.limit) == (101, 100)


def test_errors_survive_another_process() -> None:
    import pickle

    for error in (TooLarge("a/c/0", 24, 2**62), TooLarge("a", 1), ReadError("k", "os", "why")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_member_is_read_by_its_name_alone(tmp_path: Path) -> None:
    file = archive_of(tmp_path / "s.zip", zipfile.ZIP_STORED, b"value")
    with zipfile.ZipFile(file) as archive:
        assert read_member(archive, archive.getinfo("c/0"), "c/0", 5) == b"value"
