"""Bundles are written completely or not at all, whatever happens in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from zarr.core.buffer import cpu
from zarr.storage import LocalStore, MemoryStore, ZipStore

from nz_explorer.model import open_store
from nz_explorer.store import resolve
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.writing import (
    DONE,
    JOURNAL,
    STAGING,
    Edit,
    FolderWriter,
    Interrupted,
    StoreWriter,
    WriteError,
    writer_for,
)
from tests.conftest import REPOSITORY, S3, HttpServer
from tests.store.crashes import AFTER, BEFORE, EDITS, contents, make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path / "s.zarr")
    return tmp_path / "s.zarr"


# --- folders ------------------------------------------------------------------------------------


def test_a_bundle_replaces_creates_and_removes(folder: Path) -> None:
    (folder / "a/zarr.json").chmod(0o640)
    writer = FolderWriter(folder)
    writer.write(EDITS)
    assert contents(folder) == AFTER
    assert (folder / "a/zarr.json").stat().st_mode & 0o777 == 0o640
    assert not writer.pending()
    assert writer.recover() is None


def test_nothing_to_do_writes_nothing(folder: Path) -> None:
    FolderWriter(folder).write([])
    FolderWriter(folder).write([Edit("a/zarr.json", b"old a", b"old a")])
    assert contents(folder) == BEFORE


@pytest.mark.parametrize("how", ["write", "recover"])
def test_killed_at_any_step(tmp_path: Path, how: str) -> None:
    """A process is killed before each file operation; then the store is made old or new, and told so."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.crashes", str(tmp_path / "s.zarr"), how],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    assert len(results) > 20
    for result in results:
        assert result["is"] in ("old", "new")
        # Only where not even the journal was begun, or where it was cleared away, is there nothing to tell.
        assert result["told"] in (result["is"], None)
        assert not result["pending"]
        assert not any(name.startswith(JOURNAL) for name in result["folders"])
    assert {result["is"] for result in results} == {"old", "new"}
    if how == "write":
        assert [r for r in results if r["torn"] == "neither"], "no kill fell between two writes"
        assert all(r["refused"] for r in results[1:])


def _refused(folder: Path, edits: list[Edit], why: str) -> None:
    before = contents(folder)
    with pytest.raises(WriteError, match=why) as caught:
        FolderWriter(folder).write(edits)
    assert caught.value.state == "old"
    assert contents(folder) == before
    assert not FolderWriter(folder).pending()


def test_a_document_that_was_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    (folder / "b/zarr.json").write_bytes(b"someone else's")
    _refused(folder, EDITS, "b/zarr.json has been changed by someone else")
    (folder / "b/zarr.json").unlink()
    _refused(folder, EDITS, "b/zarr.json has been changed by someone else")


def test_a_change_between_two_writes_is_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FolderWriter._replace

    def replace(self: FolderWriter, number: int, edit: Edit) -> None:
        real(self, number, edit)
        if number == 1:
            (folder / "zarr.json").write_bytes(b"someone else's")

    monkeypatch.setattr(FolderWriter, "_replace", replace)
    with pytest.raises(WriteError, match=r"zarr.json has been changed") as caught:
        FolderWriter(folder).write(EDITS)
    assert caught.value.state == "old"
    assert contents(folder) == {**BEFORE, "zarr.json": b"someone else's"}


def test_a_full_disk(folder: Path) -> None:
    """The limit is the kernel's: files of this process cannot grow beyond it."""
    code = f"""
import resource, signal
from pathlib import Path
from nz_explorer.store.writing import Edit, FolderWriter, WriteError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
writer = FolderWriter(Path({str(folder)!r}))
try:
    writer.write([Edit("a/zarr.json", b"old a", b"new a"), Edit("b/zarr.json", b"old b", b"x" * 5000)])
except WriteError as error:
    print(error.state, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    assert done.stdout.startswith("old the new documents could not be written (file too large)")
    assert contents(folder) == BEFORE
    assert not FolderWriter(folder).pending()


def test_a_full_file_system(small_disk: Callable[[str], Path]) -> None:
    """The same on a file system that has no space left."""
    folder = small_disk("64k") / "s.zarr"
    make(folder)
    _refused(
        folder,
        [EDITS[0], Edit("b/zarr.json", b"old b", b"x" * 100_000)],
        "no space left on device.*the store is as it was",
    )
    FolderWriter(folder).write(EDITS)
    assert contents(folder) == AFTER


@pytest.fixture
def immutable() -> Iterator[Callable[[Path], None]]:
    """Make a file or folder one that not even root can change."""
    made: list[Path] = []

    def make_immutable(path: Path) -> None:
        if (
            not shutil.which("chattr")
            or subprocess.run(
                ["chattr", "+i", str(path)], capture_output=True, check=False
            ).returncode
        ):
            pytest.skip("files cannot be made immutable here")
        made.append(path)

    yield make_immutable
    for path in made:
        subprocess.run(["chattr", "-i", str(path)], check=True)


@pytest.mark.parametrize("what", ["b/zarr.json", "b", "."])
def test_read_only(folder: Path, immutable: Callable[[Path], None], what: str) -> None:
    immutable(folder / what)
    _refused(folder, EDITS, "is read-only: nothing was written")


def test_read_only_found_too_late(
    folder: Path, immutable: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be foreseen, such as a server that says no, is restored."""
    immutable(folder / "b")
    monkeypatch.setattr(os, "access", lambda *_args, **_options: True)
    _refused(folder, EDITS, "b/zarr.json could not be written.*the store is as it was")


def test_a_folder_that_is_a_file(folder: Path) -> None:
    edits = [EDITS[0], Edit("a/zarr.json/x/zarr.json", None, b"new")]
    _refused(folder, edits, "could not be written|nothing was written")


@pytest.mark.parametrize(
    "key", ["../x", "a/../../x", "/x", "", "a//x", f"{JOURNAL}/x", f"{DONE}/x"]
)
def test_keys_that_lead_out(folder: Path, key: str) -> None:
    _refused(folder, [Edit(key, None, b"x")], "nothing was written")
    assert os.listdir(folder.parent) == ["s.zarr"]


@pytest.mark.parametrize("kind", ["file", "folder", "loop"])
def test_links_that_lead_out(folder: Path, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "zarr.json").write_bytes(b"precious")
    if kind == "file":
        (folder / "b/zarr.json").unlink()
        (folder / "b/zarr.json").symlink_to(outside / "zarr.json")
    elif kind == "folder":
        shutil.rmtree(folder / "b")
        (folder / "b").symlink_to(outside)
    else:
        (folder / "b/zarr.json").unlink()
        (folder / "b/zarr.json").symlink_to(folder / "b/zarr.json")
    with pytest.raises(WriteError, match="nothing was written"):
        FolderWriter(folder).write([EDITS[0], Edit("b/zarr.json", b"precious", b"new")])
    assert (outside / "zarr.json").read_bytes() == b"precious"
    assert (folder / "a/zarr.json").read_bytes() == b"old a"


def test_links_inside_are_written_through(folder: Path) -> None:
    (folder / "b/zarr.json").unlink()
    (folder / "b/zarr.json").symlink_to(folder / "a/zarr.json")
    FolderWriter(folder).write([Edit("b/zarr.json", b"old a", b"new")])
    assert (folder / "b/zarr.json").is_symlink()
    assert (folder / "a/zarr.json").read_bytes() == b"new"


def test_a_store_reached_through_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    FolderWriter(tmp_path / "link").write(EDITS)
    assert contents(folder) == AFTER


def _interrupted(folder: Path) -> FolderWriter:
    """Leave a journal behind, with one of two documents written."""
    writer = FolderWriter(folder)
    writer._stage([EDITS[0], EDITS[3]], [])
    writer._replace(0, EDITS[0])
    return writer


def test_an_interrupted_bundle_is_restored(folder: Path) -> None:
    writer = _interrupted(folder)
    assert writer.pending()
    with pytest.raises(Interrupted, match="nz-explorer fix --recover"):
        writer.write(EDITS)
    recovery = writer.recover()
    assert recovery is not None
    assert recovery.state == "old"
    assert "put back to the old one" in recovery.message
    assert contents(folder) == BEFORE


def test_readers_ignore_a_journal(sample_copy: Path) -> None:
    import zarr

    document = (sample_copy / "zarr.json").read_bytes()
    FolderWriter(sample_copy)._stage([Edit("zarr.json", document, document + b"\n")], [])
    assert JOURNAL not in {node.name for node in open_store(sample_copy).walk()}
    names = set(zarr.open_group(sample_copy, mode="r").group_keys())
    assert JOURNAL not in names


def test_what_someone_else_changed_after_an_interruption_is_left_alone(folder: Path) -> None:
    writer = _interrupted(folder)
    (folder / "zarr.json").write_bytes(b"someone else's")
    before = contents(folder)
    with pytest.raises(WriteError, match="changed by someone else since") as caught:
        writer.recover()
    assert caught.value.state == "mixed"
    assert contents(folder) == before


@pytest.mark.parametrize("name", [JOURNAL, STAGING, DONE])
def test_a_journal_that_is_a_link_is_left_alone(folder: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"x")
    (folder / name).symlink_to(outside)
    with pytest.raises(WriteError, match="symbolic link"):
        FolderWriter(folder).recover()
    assert (outside / "precious").exists()


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b'{"documents": [{"key": "../x", "before": null, "after": null}], "made": []}',
        b'{"documents": [], "made": ["../x"]}',
        b'{"documents": [{"key": 1, "before": null, "after": null}], "made": []}',
    ],
)
def test_a_damaged_journal_is_left_alone(folder: Path, manifest: bytes) -> None:
    writer = _interrupted(folder)
    (folder / JOURNAL / "manifest.json").write_bytes(manifest)
    before = contents(folder)
    with pytest.raises(WriteError, match="damaged"):
        writer.recover()
    assert contents(folder) == before


def test_two_at_a_time(folder: Path) -> None:
    writer = FolderWriter(folder)
    with writer._alone(), pytest.raises(Interrupted, match="under way"):
        FolderWriter(folder).write(EDITS)
    with writer._alone(), pytest.raises(Interrupted, match="under way"):
        FolderWriter(folder).recover()
    assert contents(folder) == BEFORE


def test_an_interrupt_from_the_keyboard_restores(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FolderWriter._replace

    def replace(self: FolderWriter, number: int, edit: Edit) -> None:
        real(self, number, edit)
        if number == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(FolderWriter, "_replace", replace)
    with pytest.raises(KeyboardInterrupt):
        FolderWriter(folder).write(EDITS)
    assert contents(folder) == BEFORE


# --- zarr stores --------------------------------------------------------------------------------


class Failing(MemoryStore):
    """A store in memory that refuses puts: those whose number is given, counted from 1."""

    def __init__(self, documents: dict[str, bytes], refuse: set[int] | None = None) -> None:
        super().__init__({key: cpu.Buffer.from_bytes(value) for key, value in documents.items()})
        self.refuse = refuse or set()
        self.puts = 0

    async def set(self, key: str, value: Any, byte_range: Any = None) -> None:
        self.puts += 1
        if self.puts in self.refuse:
            raise PermissionError(13, "Permission denied", key)
        await super().set(key, value, byte_range)

    @property
    def documents(self) -> dict[str, bytes]:
        return {key: value.to_bytes() for key, value in self._store_dict.items()}


def test_a_store_in_memory() -> None:
    store = Failing({f"p/{key}": value for key, value in BEFORE.items()})
    StoreWriter(store, "p", "memory").write(EDITS)
    assert store.documents == {f"p/{key}": value for key, value in AFTER.items()}


def test_a_put_that_fails_restores() -> None:
    # MemoryStore's set_if_not_exists does not go through set: 1, 2 and 3 are the documents.
    for number in (1, 2, 3):
        store = Failing(BEFORE, {number})
        with pytest.raises(WriteError, match=r"access denied.*the store is as it was") as caught:
            StoreWriter(store, "", "memory").write(EDITS)
        assert caught.value.state == "old"
        assert store.documents == BEFORE


def test_where_restoring_fails_too_the_journal_helps() -> None:
    store = Failing(BEFORE, {3, 4})
    writer = StoreWriter(store, "", "memory")
    with pytest.raises(WriteError, match="nor could the store be restored") as caught:
        writer.write(EDITS)
    assert caught.value.state == "mixed"
    assert writer.pending()
    with pytest.raises(Interrupted, match="--recover"):
        writer.write(EDITS)
    recovery = writer.recover()
    assert recovery is not None
    assert recovery.state == "old"
    assert store.documents == BEFORE


def test_a_journal_of_a_bundle_that_is_complete() -> None:
    store = Failing(BEFORE)
    writer = StoreWriter(store, "", "memory")
    writer._begin(EDITS)
    for edit in EDITS:
        writer._replace(edit)
    recovery = writer.recover()
    assert recovery is not None
    assert recovery.state == "new"
    assert store.documents == AFTER


def test_a_concurrent_change_in_a_store() -> None:
    store = Failing({**BEFORE, "b/zarr.json": b"someone else's"})
    before = store.documents
    with pytest.raises(WriteError, match="changed by someone else"):
        StoreWriter(store, "", "memory").write(EDITS)
    assert store.documents == before


def test_a_damaged_journal_in_a_store_is_left_alone() -> None:
    store = Failing({**BEFORE, JOURNAL: b"{"})
    with pytest.raises(WriteError, match="damaged"):
        StoreWriter(store, "", "memory").recover()
    assert store.documents == {**BEFORE, JOURNAL: b"{"}


def test_s3(folder: Path, s3: S3) -> None:
    url = s3.upload(folder, prefix="writing.zarr")

    def objects() -> dict[str, bytes]:
        listed = s3.client.list_objects_v2(Bucket="bucket", Prefix="writing.zarr/")["Contents"]
        return {
            entry["Key"].removeprefix("writing.zarr/"): s3.client.get_object(
                Bucket="bucket", Key=entry["Key"]
            )["Body"].read()
            for entry in listed
        }

    reader = resolve(url, storage_options=s3.options)
    writer = writer_for(reader)
    assert writer.needs_consent
    assert objects() == BEFORE
    writer.write(EDITS)
    assert objects() == AFTER
    assert writer.recover() is None
    assert isinstance(writer, StoreWriter)
    writer._begin([Edit("zarr.json", AFTER["zarr.json"], b"newest")])
    with pytest.raises(Interrupted):
        writer.write([Edit("zarr.json", AFTER["zarr.json"], b"newest")])
    recovery = writer.recover()
    assert recovery is not None
    assert objects() == AFTER
    reader.close()


# --- what cannot be written to ------------------------------------------------------------------


def test_what_cannot_be_written_to_says_so(
    sample_copy: Path, tmp_path: Path, http_server: Callable[..., HttpServer]
) -> None:
    archive = tmp_path / "s.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.write(sample_copy / "zarr.json", "zarr.json")
    with pytest.raises(WriteError, match="zip file"):
        writer_for(resolve(archive))
    opened = ZipStore(archive, mode="r")
    opened._sync_open()
    with pytest.raises(WriteError, match="zip file"):
        writer_for(resolve(opened))
    opened.close()
    reader = resolve(http_server(sample_copy).url)
    with pytest.raises(WriteError, match="over HTTP"):
        writer_for(reader)
    reader.close()
    with pytest.raises(WriteError, match="read-only"):
        writer_for(resolve(MemoryStore(read_only=True)))


def test_an_overlay_is_written_to_what_is_below(folder: Path) -> None:
    writer = writer_for(OverlayReader(resolve(LocalStore(folder))))
    assert isinstance(writer, FolderWriter)
    assert writer.folder == folder
