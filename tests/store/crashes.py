"""Kills a process before each file operation of a bundle, and of putting things right afterwards.

Run as a program: ``crashes.py FOLDER [recover]``. It forks once for each operation, so it has no threads. Audit
hooks see the operations of the real code: nothing is replaced by a test double.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from nz_explorer.store.writing import Edit, FolderWriter, WriteError

BEFORE = {
    "zarr.json": b'{"old": "root"}',
    "a/zarr.json": b'{"old": "a"}',
    "b/zarr.json": b'{"old": "b"}',
    "a/c/0": b"chunk",
    "b/.zattrs": b'{"cut off',  # what is fixed is often broken
}
EDITS = [
    Edit("a/zarr.json", b'{"old": "a"}', b'{"new": "a"}'),
    Edit("n/m/zarr.json", None, b'{"new": "n"}'),
    Edit("b/zarr.json", b'{"old": "b"}', None),
    Edit("zarr.json", b'{"old": "root"}', b'{"new": "root, and longer"}'),
    Edit("b/.zattrs", b'{"cut off', b'{"whole": 1}'),
]
AFTER = {k: v for k, v in BEFORE.items() if k != "b/zarr.json"} | {
    "a/zarr.json": b'{"new": "a"}',
    "n/m/zarr.json": b'{"new": "n"}',
    "zarr.json": b'{"new": "root, and longer"}',
    "b/.zattrs": b'{"whole": 1}',
}
OPERATIONS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir"}


def make(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for key, data in BEFORE.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def killed_at(number: int, folder: Path, *, recover: bool) -> bool:
    """Return whether a process was killed before its n-th operation; else it has finished."""
    child = os.fork()
    if not child:
        seen = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            written = (
                event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
            )
            if event in OPERATIONS or written:
                if seen == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                seen += 1

        sys.addaudithook(hook)
        try:
            if recover:
                FolderWriter(folder).recover()
            else:
                FolderWriter(folder).write(EDITS)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def name_of(found: dict[str, bytes]) -> str:
    return "old" if found == BEFORE else "new" if found == AFTER else "neither"


def outcome(folder: Path) -> dict[str, object]:
    recovery = FolderWriter(folder).recover()
    result = {
        "told": None if recovery is None else recovery.state,
        "is": name_of(contents(folder)),
        "folders": sorted(p.name for p in folder.iterdir()),
        "pending": FolderWriter(folder).pending(),
    }
    make(folder)
    return result


def main(folder: Path, recovering: bool) -> list[dict[str, object]]:
    results: list[dict[str, object]] = []
    number = 0
    while True:
        make(folder)
        if not killed_at(number, folder, recover=False):
            return results
        torn = name_of({k: v for k, v in contents(folder).items() if "journal" not in k})
        if not recovering:
            try:
                FolderWriter(folder).write(EDITS)
                refused = False
            except WriteError:
                refused = True
            results.append({"torn": torn, "refused": refused, **outcome(folder)})
        else:
            second = 0
            while True:
                make(folder)
                killed_at(number, folder, recover=False)
                if not killed_at(second, folder, recover=True):
                    break
                results.append(outcome(folder))
                second += 1
        number += 1


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), "recover" in sys.argv)))
