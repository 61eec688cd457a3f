"""Bundles are written completely or not at all, whatever happens in between."""

from __future__ import annotations

import hashlib
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
    MANIFEST,
    SCHEMA,
    STAGING,
    Edit,
    FolderWriter,
    Interrupted,
    StoreWriter,
    WriteError,
    Writer,
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
    FolderWriter(folder).write([Edit("a/zarr.json", b'{"old": "a"}', b'{"old": "a"}')])
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
    code = """
import resource, signal, sys
from pathlib import Path
from nz_explorer.store.writing import FolderWriter, WriteError
from tests.store.crashes import EDITS, Edit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
writer = FolderWriter(Path(sys.argv[1]))
try:
    writer.write([EDITS[0], Edit("b/zarr.json", EDITS[2].before, b'{"x": "' + b"x" * 5000 + b'"}')])
except WriteError as error:
    print(error.state, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
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
        [EDITS[0], Edit("b/zarr.json", b'{"old": "b"}', b'{"x": "' + b"x" * 100_000 + b'"}')],
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
    edits = [EDITS[0], Edit("a/zarr.json/x/zarr.json", None, b'{"new": 1}')]
    _refused(folder, edits, "could not be written|nothing was written")


@pytest.mark.parametrize(
    "key", ["../x", "a/../../x", "/x", "", "a//x", f"{JOURNAL}/x", f"{DONE}/x"]
)
def test_keys_that_lead_out(folder: Path, key: str) -> None:
    _refused(folder, [Edit(key, None, b"{}")], "nothing was written")
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
        FolderWriter(folder).write([EDITS[0], Edit("b/zarr.json", b"precious", b'{"new": 1}')])
    assert (outside / "zarr.json").read_bytes() == b"precious"
    assert (folder / "a/zarr.json").read_bytes() == b'{"old": "a"}'


def test_links_inside_are_written_through(folder: Path) -> None:
    (folder / "b/zarr.json").unlink()
    (folder / "b/zarr.json").symlink_to(folder / "a/zarr.json")
    FolderWriter(folder).write([Edit("b/zarr.json", b'{"old": "a"}', b'{"new": 1}')])
    assert (folder / "b/zarr.json").is_symlink()
    assert (folder / "a/zarr.json").read_bytes() == b'{"new": 1}'


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


# --- journals of strangers ----------------------------------------------------------------------


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def plant(
    folder: Path, key: str, before: bytes | None, *, name: str = JOURNAL, **manifest: Any
) -> Path:
    """Put a journal into a store that gives a file another content, or removes it."""
    journal = folder / name
    journal.mkdir()
    if before is not None:
        (journal / "0.before").write_bytes(before)
    now = (folder / key).read_bytes() if (folder / key).is_file() else b""
    root = _sha((folder / "zarr.json").read_bytes())
    documents = [
        {"key": key, "before": None if before is None else _sha(before), "after": _sha(now)},
        {"key": "zarr.json", "before": root, "after": _sha(b"{}")},  # so that it is not complete
    ]
    said = {"schema": SCHEMA, "started": "", "made": [], "documents": documents, **manifest}
    (journal / MANIFEST).write_text(json.dumps(said))
    return journal


def left_alone(folder: Path, why: str, writer: Writer | None = None) -> None:
    """Assert that a journal is refused, and nothing of the store touched."""
    before = contents(folder)
    names = sorted(str(path) for path in folder.rglob("*"))
    with pytest.raises(WriteError, match="left alone, and nothing was written") as caught:
        (writer or FolderWriter(folder)).recover()
    assert why in str(caught.value)
    assert contents(folder) == before
    assert sorted(str(path) for path in folder.rglob("*")) == names


@pytest.mark.parametrize(
    "key", ["a/c/0", "c/0", "a/0", ".zarrays", "a/data.csv", "x.json", "", "../zarr.json", "a/../zarr.json", "/zarr.json", f"{JOURNAL}/zarr.json"]
)  # fmt: skip
@pytest.mark.parametrize("before", [None, b"{}"], ids=["removed", "replaced"])
def test_a_journal_may_hold_documents_alone(folder: Path, key: str, before: bytes | None) -> None:
    plant(folder, key, before)
    left_alone(folder, "is no document")


@pytest.mark.parametrize("before", [b"[]", b"#!/bin/sh", b"\x89PNG", b'"{}"', b"null"])
def test_a_journal_may_hold_json_objects_alone(folder: Path, before: bytes) -> None:
    plant(folder, "a/zarr.json", before)
    left_alone(folder, "0.before is no JSON object")


@pytest.mark.parametrize(
    "before", [b"{}", b"", b'{"cut', b'\xef\xbb\xbf{"x": NaN}', b'{"x": 1' + b"0" * 5000]
)
def test_documents_that_were_broken_are_put_back(folder: Path, before: bytes) -> None:
    """What is fixed is often no JSON."""
    plant(folder, "a/zarr.json", before)
    recovery = FolderWriter(folder).recover()
    assert recovery is not None
    assert (recovery.state, recovery.keys) == ("old", ("a/zarr.json", "zarr.json"))
    assert recovery.message.endswith("put back to the old one (a/zarr.json, zarr.json)")
    assert contents(folder) == {**BEFORE, "a/zarr.json": before}


def test_a_journal_whose_new_version_is_no_document(folder: Path) -> None:
    (plant(folder, "a/zarr.json", b"{}") / "0.after").write_bytes(BEFORE["a/zarr.json"])
    (folder / "a/zarr.json").write_bytes(b"{}")
    journal = folder / JOURNAL
    manifest = json.loads((journal / MANIFEST).read_bytes())
    (journal / "0.after").write_bytes(b"#!/bin/sh")
    manifest["documents"][0]["after"] = _sha(b"#!/bin/sh")
    (journal / MANIFEST).write_text(json.dumps(manifest))
    left_alone(folder, "0.after is no JSON object")


def test_a_version_that_is_not_what_the_journal_says(folder: Path) -> None:
    (plant(folder, "a/zarr.json", b"{}") / "0.before").write_bytes(b'{"other": 1}')
    left_alone(folder, f"0.before does not match its {MANIFEST}")


def test_a_version_that_is_missing(folder: Path) -> None:
    (plant(folder, "a/zarr.json", b"{}") / "0.before").unlink()
    left_alone(folder, "it has no 0.before")


@pytest.mark.parametrize("name", [JOURNAL, STAGING, DONE])
@pytest.mark.parametrize(
    "odd",
    ["notes.txt", "00.before", "0.before.x", "-1.after", "0.BEFORE", "folder", "link", "hard link"],
)
def test_a_journal_with_something_else_in_it(
    folder: Path, tmp_path: Path, name: str, odd: str
) -> None:
    journal = plant(folder, "a/zarr.json", b"{}", name=name)
    outside = tmp_path / "outside"
    outside.write_bytes(b"{}")
    if odd == "folder":
        (journal / "1.before").mkdir()
    elif odd == "link":
        (journal / "1.before").symlink_to(outside)
    elif odd == "hard link":
        (journal / "1.before").hardlink_to(outside)
    else:
        (journal / odd).write_bytes(b"precious")
    left_alone(folder, "is no part of a journal" if "." in odd else "is a link, or no file")
    assert outside.read_bytes() == b"{}"


@pytest.mark.parametrize(
    "manifest",
    [{"schema": "nz-explorer/journal/2"}, {"made": ["c"]}, {"made": [""]}, {"made": ["a/zarr"]}, {"made": [1]}],
)  # fmt: skip
def test_a_manifest_that_says_what_none_of_ours_does(
    folder: Path, manifest: dict[str, Any]
) -> None:
    (folder / "c").mkdir()
    plant(folder, "a/zarr.json", b"{}", **manifest)
    left_alone(
        folder, "another version" if "schema" in manifest else "no document needs the folder"
    )


@pytest.mark.parametrize("where", ["file", "folder"])
def test_recovery_follows_no_links(folder: Path, where: str) -> None:
    """Inside of the store, too: a document that is a link to a chunk would remove the chunk."""
    if where == "file":
        (folder / "b/zarr.json").unlink()
        (folder / "b/zarr.json").symlink_to(folder / "a/c/0")
        plant(folder, "b/zarr.json", None)
    else:
        (folder / "d").symlink_to(folder / "a")
        plant(folder, "d/zarr.json", None)
    left_alone(folder, "is a symbolic link, or lies below one")


@pytest.mark.parametrize(
    "name", ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata", ".nczarray"]
)
def test_all_documents_can_be_written_and_recovered(folder: Path, name: str) -> None:
    edit = Edit(f"e/{name}", None, b'{"x": 1}')
    writer = FolderWriter(folder)
    made = writer._missing_folders([edit])
    writer._stage([edit], made)
    (folder / "e").mkdir()
    writer._replace(0, edit)
    recovery = writer.recover()
    assert recovery is not None
    assert (recovery.state, recovery.keys) == ("new", (edit.key,))
    assert contents(folder) == {**BEFORE, edit.key: b'{"x": 1}'}


@pytest.mark.parametrize(
    "edit", [Edit("a/c/0", b"chunk", b"{}"), Edit("a/c/0", b"chunk", None), Edit("a/zarr.json", BEFORE["a/zarr.json"], b"[]")]
)  # fmt: skip
def test_nothing_but_documents_is_written(folder: Path, edit: Edit) -> None:
    _refused(folder, [edit], "no key of a document|no JSON object")


@pytest.mark.parametrize(
    "document",
    [
        {"key": "a/c/0", "before": None, "after": "Y2h1bms="},
        {"key": "a/zarr.json", "before": "IyEvYmluL3No", "after": "e30="},
        {"key": "a/zarr.json", "before": "e30=", "after": "IyEvYmluL3No"},
        {"key": "../zarr.json", "before": None, "after": "e30="},
        {"key": 1, "before": None, "after": "e30="},
        {"key": "a/zarr.json", "before": "?", "after": "e30="},
    ],
)
def test_a_journal_of_a_stranger_in_a_store(document: dict[str, Any]) -> None:
    journal = json.dumps({"schema": SCHEMA, "documents": [document]}).encode()
    store = Failing({**BEFORE, JOURNAL: journal})
    with pytest.raises(WriteError, match="left alone, and nothing was written"):
        StoreWriter(store, "", "memory").recover()
    assert store.documents == {**BEFORE, JOURNAL: journal}


def test_a_journal_of_another_version_in_a_store() -> None:
    store = Failing({**BEFORE, JOURNAL: b'{"schema": "nz-explorer/journal/2", "documents": []}'})
    with pytest.raises(WriteError, match="another version"):
        StoreWriter(store, "", "memory").recover()


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
    assert objects() == BEFORE
    writer.write(EDITS)
    assert objects() == AFTER
    assert writer.recover() is None
    assert isinstance(writer, StoreWriter)
    writer._begin([Edit("zarr.json", AFTER["zarr.json"], b'{"newest": 1}')])
    with pytest.raises(Interrupted):
        writer.write([Edit("zarr.json", AFTER["zarr.json"], b'{"newest": 1}')])
    recovery = writer.recover()
    assert recovery is not None
    assert objects() == AFTER
    reader.close()


# --- what nobody saw when it was changed --------------------------------------------------------


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_owner_and_mode_stay(folder: Path) -> None:
    for key in ("a/zarr.json", "b/.zattrs"):
        os.chown(folder / key, 1234, 2345)
        (folder / key).chmod(0o604)
    FolderWriter(folder).write(EDITS)
    for key in ("a/zarr.json", "b/.zattrs"):
        found = (folder / key).stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o604)


def test_a_journal_is_for_its_owner_alone(folder: Path) -> None:
    """It has versions of documents that others may not be allowed to read."""
    FolderWriter(folder)._stage(EDITS, [])
    assert (folder / JOURNAL).stat().st_mode & 0o777 == 0o700


def test_folders_that_were_made_are_removed_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FolderWriter._replace

    def replace(self: FolderWriter, number: int, edit: Edit) -> None:
        real(self, number, edit)
        if number == 3:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(FolderWriter, "_replace", replace)
    with pytest.raises(WriteError, match=r"input/output error.*the store is as it was"):
        FolderWriter(folder).write(EDITS)
    assert contents(folder) == BEFORE
    assert sorted(os.listdir(folder)) == ["a", "b", "zarr.json"]


def test_a_folder_with_something_new_in_it_stays(folder: Path) -> None:
    writer = FolderWriter(folder)
    writer._stage(EDITS, ["n", "n/m"])
    (folder / "n/m").mkdir(parents=True)
    (folder / "n/notes.txt").write_text("someone else's")
    recovery = writer.recover()
    assert recovery is not None
    assert recovery.state == "old"
    assert contents(folder) == {**BEFORE, "n/notes.txt": b"someone else's"}
    assert not (folder / "n/m").exists()


def test_what_someone_else_changed_while_it_was_written_is_not_restored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nobody knows what is right: both versions are kept, and told of."""
    real = FolderWriter._replace

    def replace(self: FolderWriter, number: int, edit: Edit) -> None:
        if number == 3:
            (folder / "a/zarr.json").write_bytes(b'{"else": 1}')
            raise OSError(5, "Input/output error")
        real(self, number, edit)

    monkeypatch.setattr(FolderWriter, "_replace", replace)
    with pytest.raises(WriteError) as caught:
        FolderWriter(folder).write(EDITS)
    assert caught.value.state == "mixed"
    assert "a/zarr.json was changed by someone else meanwhile" in str(caught.value)
    assert f"both versions are kept in {folder / JOURNAL}; run nz-" in str(caught.value)
    assert (folder / "a/zarr.json").read_bytes() == b'{"else": 1}'
    assert (folder / JOURNAL / "0.before").read_bytes() == EDITS[0].before


def test_a_store_that_cannot_be_put_back_keeps_its_journal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = _interrupted(folder)

    def fail(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(FolderWriter, "_put_back", fail)
    with pytest.raises(
        WriteError, match=r"could not be restored \(read-only file system\)"
    ) as caught:
        writer.recover()
    assert caught.value.state == "mixed"
    assert str(folder / JOURNAL) in str(caught.value)
    monkeypatch.undo()
    recovery = writer.recover()
    assert recovery is not None
    assert contents(folder) == BEFORE


class Gone(Failing):
    """A store whose bucket is removed while it is written to."""

    async def set(self, key: str, value: Any, byte_range: Any = None) -> None:
        self.puts += 1
        if self.puts == 2:
            raise FileNotFoundError(key)
        await MemoryStore.set(self, key, value, byte_range)


def test_a_bucket_that_is_gone() -> None:
    store = Gone(BEFORE)
    with pytest.raises(WriteError, match=r"n/m/zarr.json could not be written"):
        StoreWriter(store, "", "memory").write(EDITS)
    assert store.documents == BEFORE


@pytest.mark.parametrize("writer", ["folder", "store"])
def test_a_document_is_in_a_bundle_once(folder: Path, writer: str) -> None:
    edits = [EDITS[0], EDITS[0]]
    store = Failing(BEFORE)
    one: Writer = FolderWriter(folder) if writer == "folder" else StoreWriter(store, "", "memory")
    with pytest.raises(WriteError, match="in the bundle twice; nothing was written"):
        one.write(edits)
    assert contents(folder) == BEFORE
    assert store.documents == BEFORE


class Losing(Failing):
    """A store whose answer to a put is lost: it has arrived all the same."""

    async def set(self, key: str, value: Any, byte_range: Any = None) -> None:
        self.puts += 1
        await MemoryStore.set(self, key, value, byte_range)
        if self.puts in self.refuse:
            raise PermissionError(13, "Permission denied", key)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_put_that_arrived_without_an_answer_is_taken_back(number: int) -> None:
    store = Losing(BEFORE, {number})
    with pytest.raises(WriteError, match="the store is as it was") as caught:
        StoreWriter(store, "", "memory").write(EDITS)
    assert caught.value.state == "old"
    assert store.documents == BEFORE


class Meddling(Failing):
    """A store in which someone else changes a document before the n-th put."""

    def __init__(self, number: int, key: str, data: bytes) -> None:
        super().__init__(BEFORE)
        self.number, self.key, self.data = number, key, data

    async def set(self, key: str, value: Any, byte_range: Any = None) -> None:
        await super().set(key, value, byte_range)
        if self.puts == self.number:
            self._store_dict[self.key] = cpu.Buffer.from_bytes(self.data)


def test_what_someone_else_changes_while_a_bundle_is_written_stays() -> None:
    store = Meddling(2, "zarr.json", b'{"else": 1}')
    with pytest.raises(WriteError, match=r"^zarr.json .*has been changed by someone else"):
        StoreWriter(store, "", "memory").write(EDITS)
    assert store.documents == {**BEFORE, "zarr.json": b'{"else": 1}'}


def test_what_was_written_and_changed_by_someone_else_is_not_taken_back() -> None:
    """Then nobody knows what is right: the journal is kept, and told of."""
    store = Meddling(3, "a/zarr.json", b'{"else": 1}')
    store.refuse = {4}
    with pytest.raises(WriteError, match=r"a/zarr.json was changed by someone else") as caught:
        StoreWriter(store, "", "memory").write(EDITS)
    assert caught.value.state == "mixed"
    assert store.documents["a/zarr.json"] == b'{"else": 1}'
    assert JOURNAL in store.documents


class Faster(Failing):
    """A store in which another journal is there first."""

    async def set_if_not_exists(self, key: str, value: Any) -> None:
        self._store_dict[key] = cpu.Buffer.from_bytes(b"another")


def test_the_one_whose_journal_is_there_first_writes() -> None:
    store = Faster(BEFORE)
    with pytest.raises(
        Interrupted, match="another fix of memory is under way: nothing was written"
    ):
        StoreWriter(store, "", "memory").write(EDITS)
    assert store.documents == {**BEFORE, JOURNAL: b"another"}


def test_a_bundle_in_a_store_leaves_no_journal() -> None:
    store = Failing(BEFORE)
    writer = StoreWriter(store, "", "memory")
    assert not writer.pending()
    writer.write(EDITS)
    assert not writer.pending()
    assert writer.recover() is None
    assert store.documents == AFTER


def test_what_someone_else_changed_since_is_not_recovered_in_a_store() -> None:
    store = Failing(BEFORE)
    writer = StoreWriter(store, "", "memory")
    writer._begin(EDITS)
    writer._replace(EDITS[0])
    store._store_dict["zarr.json"] = cpu.Buffer.from_bytes(b'{"else": 1}')
    before = store.documents
    with pytest.raises(
        WriteError, match="changed by someone else since: nothing was touched"
    ) as caught:
        writer.recover()
    assert caught.value.state == "mixed"
    assert store.documents == before


def test_an_interrupt_from_the_keyboard_restores_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    real = StoreWriter._replace

    def replace(self: StoreWriter, edit: Edit) -> None:
        real(self, edit)
        if edit is EDITS[2]:
            raise KeyboardInterrupt

    monkeypatch.setattr(StoreWriter, "_replace", replace)
    store = Failing(BEFORE)
    with pytest.raises(KeyboardInterrupt):
        StoreWriter(store, "", "memory").write(EDITS)
    assert store.documents == BEFORE


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
    references = tmp_path / "refs.json"
    references.write_text(json.dumps({"version": 1, "refs": {".zgroup": '{"zarr_format": 2}'}}))
    with pytest.raises(WriteError, match="change the document in them"):
        writer_for(resolve(references))


def test_an_overlay_is_written_to_what_is_below(folder: Path) -> None:
    writer = writer_for(OverlayReader(resolve(LocalStore(folder))))
    assert isinstance(writer, FolderWriter)
    assert writer.folder == folder
