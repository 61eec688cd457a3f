"""Readers: what a store holds, whatever kind of store it is."""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.store import Cancellation, Cancelled, ReadError, SourceError, resolve, url_modes
from nz_explorer.store.remote.retry import classify

DOCUMENTS = {
    "zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
    "a/zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
    "a/b/zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for key, data in DOCUMENTS.items():
        file = tmp_path / "store.zarr" / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return tmp_path / "store.zarr"


def zipped(folder: Path, file: Path, top: str = "") -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, Path(top) / path.relative_to(folder))
    return file


@pytest.mark.parametrize(
    "kind",
    [
        "folder",
        "file url",
        "nczarr url",
        "zip",
        "zip with a top folder",
        "store",
        "mapping",
        "dict",
    ],
)
def test_every_kind_of_source_gives_the_same_keys(folder: Path, tmp_path: Path, kind: str) -> None:
    import fsspec
    from zarr.storage import LocalStore

    source = {
        "folder": lambda: folder,
        "file url": folder.as_uri,
        "nczarr url": lambda: f"{folder.as_uri()}#mode=nczarr,file",
        "zip": lambda: zipped(folder, tmp_path / "store.zip"),
        "zip with a top folder": lambda: zipped(folder, tmp_path / "store.zip", "top"),
        "store": lambda: LocalStore(folder),
        "mapping": lambda: fsspec.get_mapper(str(folder)),
        "dict": lambda: DOCUMENTS,
    }[kind]()
    reader = resolve(source)
    assert reader.get("a/zarr.json") == DOCUMENTS["a/zarr.json"]
    assert reader.get("nothing/zarr.json") is None
    assert reader.get_many(list(DOCUMENTS)) == list(DOCUMENTS.values())
    assert reader.list_level("").names == ("a", "zarr.json")
    assert reader.list_level("a").names == ("b", "zarr.json")
    assert reader.list_level("nothing").names == ()
    assert not reader.list_level("a", limit=1).complete
    reader.close()


def test_a_group_of_a_store_is_a_source(folder: Path) -> None:
    import zarr

    reader = resolve(zarr.open_group(folder, path="a", mode="r"))
    assert reader.list_level("").names == ("b", "zarr.json")


@pytest.mark.parametrize(
    "key", ["../secret", "a/../../secret", "/etc/passwd", "a//b", "a/./b", "a\\b", "a\x00b"]
)
def test_no_key_leads_out_of_the_store(folder: Path, key: str) -> None:
    (folder.parent / "secret").write_text("secret")
    (answer,) = resolve(folder).get_many([key])
    assert isinstance(answer, ReadError)
    assert answer.reason == "unsafe key"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nowhere", "there is nothing at nowhere in /"),
        ("file:///nowhere", "there is nothing at file:///nowhere$"),
        ("broken.zp", r"there is nothing at broken.zp in /.*: did you mean /.*/broken.zip\?"),
        ("brocken.zip/a/b", r"; there is no /.*/brocken.zip: did you mean /.*/broken.zip\?"),
        ("plain.txt", "neither a folder nor a zip file"),
        ("broken.zip", "not a readable zip file: its end is missing"),
        ("empty.zip", "not a readable zip file: it is empty"),
        ("cut.nc", r"written or copied only in part: it has 3,000 of 10,048 bytes"),
        ("ftp://host/x", "scheme 'ftp' is not known"),
        ("", "empty"),
        (42, "^an int is not a source"),
    ],
)
def test_what_is_no_source_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: object, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.txt").write_text("hello")
    Path("broken.zip").write_bytes(b"PK\x03\x04 this is cut")
    Path("empty.zip").touch()
    with h5py.File("whole.nc", "w") as file:
        file["a"] = np.zeros(1000)
    Path("cut.nc").write_bytes(Path("whole.nc").read_bytes()[:3000])
    with pytest.raises(SourceError, match=says):
        resolve(source)


def test_a_zip_file_of_something_else_is_not_called_empty(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(SourceError, match=r"^there is no Zarr hierarchy at .*other\.zip"):
        nz.open_store(tmp_path / "other.zip")


def test_a_damaged_member_of_a_zip_file_fails_alone(folder: Path, tmp_path: Path) -> None:
    file = zipped(folder, tmp_path / "store.zip")
    data = bytearray(file.read_bytes())
    at = data.index(DOCUMENTS["zarr.json"])
    data[at + 5] ^= 0xFF
    file.write_bytes(data)
    answers = resolve(file).get_many(["zarr.json", "a/zarr.json", "a/b/zarr.json"])
    failures = [answer for answer in answers if isinstance(answer, ReadError)]
    assert len(failures) == 1
    assert failures[0].reason == "corrupt"


def test_an_unreadable_file_is_a_failure_and_not_an_absence(folder: Path) -> None:
    target = folder / "a" / "zarr.json"
    target.unlink()
    target.symlink_to(target)  # a link to itself: reading it fails for everyone, root too
    (answer,) = resolve(folder).get_many(["a/zarr.json"])
    assert isinstance(answer, ReadError)
    assert answer.reason == "os"


def test_a_cancelled_batch_raises(folder: Path) -> None:
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        resolve(folder).get_many(["zarr.json"], cancel)
    with pytest.raises(Cancelled):
        resolve(DOCUMENTS).get_many(["zarr.json"], cancel)


def test_plain_http_cannot_be_listed_but_read(folder: Path, http_server) -> None:
    reader = resolve(http_server(folder).url)
    assert not reader.listable
    assert reader.get("a/zarr.json") == DOCUMENTS["a/zarr.json"]
    assert reader.get("no/zarr.json") is None
    assert isinstance(reader.list_many([""])[0], ReadError)


def test_s3_is_listed_and_read(folder: Path, s3) -> None:
    url = s3.upload(folder, prefix="readers.zarr")
    reader = resolve(url, storage_options=s3.options)
    assert reader.list_level("").names == ("a", "zarr.json")
    assert reader.get("a/b/zarr.json") == DOCUMENTS["a/b/zarr.json"]
    assert reader.get("none") is None


@pytest.mark.parametrize(
    ("error", "reason", "again"),
    [
        (TimeoutError(), "timeout", True),
        (ConnectionResetError("connection reset"), "connection", True),
        (OSError("503 Service Unavailable"), "server", True),
        (PermissionError("403 Forbidden"), "denied", False),
        (ValueError("what"), "os", False),
    ],
)
def test_only_passing_faults_are_worth_another_try(
    error: Exception, reason: str, again: bool
) -> None:
    failure, worth = classify("k", error)
    assert (failure.reason, worth) == (reason, again)


def test_what_fails_for_a_moment_is_asked_again(folder: Path) -> None:
    from zarr.storage import MemoryStore, WrapperStore

    from nz_explorer.store.resolve import _as_buffers

    class Flaky(WrapperStore):
        failures = 2

        async def get(self, key, prototype, byte_range=None):
            if Flaky.failures:
                Flaky.failures -= 1
                raise ConnectionResetError("connection reset by peer")
            return await self._store.get(key, prototype, byte_range)

    reader = resolve(Flaky(MemoryStore(_as_buffers(DOCUMENTS))))
    assert reader.get("zarr.json") == DOCUMENTS["zarr.json"]
    assert reader.counters.retries == 2


def test_a_folder_that_disappears_reads_as_absent(folder: Path) -> None:
    reader = resolve(folder)
    shutil.rmtree(folder)
    assert reader.get("zarr.json") is None
    assert reader.list_level("").names == ()


@pytest.mark.parametrize(
    ("source", "modes"),
    [
        ("file:///d#mode=nczarr,file", ("nczarr", "file")),
        ("file:///d#mode=NCZARR, zip", ("nczarr", "zip")),
        ("https://h/b/k#mode=nczarr,s3&aws.profile=x", ("nczarr", "s3")),
        ("/d#nczarr,file", ("nczarr", "file")),
        ("/d#log", ("log",)),
        ("/d#bytes=1", ()),
        ("/d", ()),
    ],
)
def test_modes_of_an_address_of_netcdf_c(source: str, modes: tuple[str, ...]) -> None:
    assert url_modes(source) == modes


def test_a_folder_may_have_a_hash_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "d#mode=nczarr"
    folder.mkdir()
    (folder / "zarr.json").write_bytes(b"{}")
    assert url_modes(str(folder)) == ()
    assert resolve(folder).get("zarr.json") == b"{}"


@pytest.mark.parametrize(
    ("source", "url", "options"),
    [
        ("https://h:90/b/k#mode=nczarr,s3", "s3://b/k", {"endpoint": "https://h:90"}),
        ("http://h/b/k/l#mode=zarr,s3", "s3://b/k/l", {"endpoint": "http://h"}),
        ("https://s3.eu-west-1.amazonaws.com/b/k#mode=s3", "s3://b/k", {"region": "eu-west-1"}),
        ("https://b.s3.us-east-2.amazonaws.com/k#mode=s3", "s3://b/k", {"region": "us-east-2"}),
        ("https://b.s3.amazonaws.com/k#mode=s3", "s3://b/k", {}),
        ("s3://s3.us-west-1.amazonaws.com/b/k", "s3://b/k", {"region": "us-west-1"}),
        ("s3://b/k#mode=nczarr,s3", "s3://b/k", {}),
    ],
)
def test_addresses_of_s3_as_netcdf_c_takes_them(
    monkeypatch: pytest.MonkeyPatch, source: str, url: str, options: dict[str, str]
) -> None:
    asked = []
    monkeypatch.setattr(
        sys.modules["nz_explorer.store.resolve"],
        "_from_url",
        lambda url, scheme, _label, options: asked.append((url, scheme, options)),
    )
    resolve(source)
    assert asked == [(url, "s3", options)]


def test_a_store_on_s3_opens_by_an_address_of_netcdf_c(folder: Path, s3) -> None:
    s3.upload(folder, prefix="d.zarr")
    options = {key: value for key, value in s3.options.items() if "endpoint" not in key}
    url = f"{s3.endpoint}/bucket/d.zarr#mode=nczarr,s3"
    assert resolve(url, storage_options=options).list_level("").names == ("a", "zarr.json")


def test_what_a_path_lies_in_is_named(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr")
    group.create_array("temperature", shape=(2,), dtype="f4")[:] = 1
    store = tmp_path / "a.zarr"
    for path, words in {
        "temprature": f"did you mean {store / 'temperature'}",
        "temperature/c": f"inside of the array {store / 'temperature'}",
        "temperature/c/0": f"inside of the array {store / 'temperature'}",
    }.items():
        with pytest.raises(SourceError, match=re.escape(words)):
            nz.open_store(store / path)
    (found,) = nz.check(store / "temperature", select=["TREE-008"], progress=False).findings
    assert str(store) in (found.fix.note or "")


def test_a_file_of_another_kind_is_named(tmp_path: Path) -> None:
    for name, start, words in (
        ("a.zarr", b"version https://git-lfs.github.com/spec/v1\noid", "a pointer of Git LFS"),
        ("b.zarr", b"PAR1", "a Parquet file"),
        ("c.tar", bytes(257) + b"ustar", "a tar archive"),
    ):
        (tmp_path / name).write_bytes(start)
        with pytest.raises(SourceError, match=f"is {words}"):
            nz.open_store(tmp_path / name)


def test_names_in_a_zip_file_that_are_no_keys_are_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("./zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    with pytest.raises(SourceError, match="cannot be keys of a store"):
        nz.open_store(tmp_path / "a.zip")
