"""Starting the other process, and what is learnt from it, however it ends."""

from __future__ import annotations

import json
import os
import queue
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

from nz_explorer.diagnosis.edited_copy import NotCopied, edited_copy
from nz_explorer.diagnosis.probes import PROBES, with_zarrita
from nz_explorer.diagnosis.unsafe_codecs import could_run_code
from nz_explorer.model import Array, Group, Hierarchy
from nz_explorer.store import Cancellation, Cancelled, Reader, ReadError
from nz_explorer.store.local.links import refuse_outside
from nz_explorer.store.references.readers import ReferenceReader
from nz_explorer.store.resolve import url_modes

READERS: tuple[str, ...] = tuple(PROBES)
_PYTHON_PATH = [
    str(Path(path).absolute())
    for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if path
]
"""What the user gave, which may be relative to the folder of the start: later the working directory may be that of a store."""
# -P: nothing is imported from the folder of the call, which may be the store itself
COMMAND = [sys.executable, "-P", "-m", "nz_explorer.diagnosis.trial_process"]
SECONDS = 30.0
MAX_NODES = 2000
MAX_LINE = 64 * 1024
MAX_OUTPUT = 16 * 1024 * 1024
"""The most characters of a reader's message."""
ENVIRONMENT = (
    "PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "HDF5_PLUGIN_PATH", "SSL_CERT_FILE",
)  # fmt: skip
"""What the other process gets of the environment: where programs are, and none of the secrets."""
FOLLOWS_LINKS = frozenset(["netCDF-C", "tensorstore", "GDAL"])
"""Readers that follow every symbolic link of a folder."""
SAMPLE = {
    "zarr.json": {"zarr_format": 3, "node_type": "group"},
    "a/zarr.json": {
        "zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes"}], "dimension_names": ["x"],
    },
}  # fmt: skip
"""A healthy store of Zarr v3: a reader that cannot open it reads none."""

State = Literal[
    "reads", "fails", "refused", "crashed", "timed out", "cancelled", "not installed", "not tried"
]


@dataclass(frozen=True, slots=True)
class Failure:
    """A node that a reader could not open or read, and what it said.

    Attributes
    ----------
    path : str
        The node.
    message : str
        The error in one line.
    kind : tuple of str
        Types of the error and of what caused it.
    where : tuple of str
        Functions that it went through, as ``module:function``, the innermost last.
    during : str
        What was being done: ``opening``, ``reading the first chunk``, ``reading the last chunk``.
    """

    path: str
    message: str
    kind: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    during: str = ""


@dataclass(frozen=True, slots=True)
class FirstValue:
    """The first value of an array, as a reader sees it.

    Attributes
    ----------
    raw : str or None
        As it is stored; None where the reader does not show that.
    shown : str or None
        As the reader gives it: decoded and masked.
    """

    raw: str | None
    shown: str | None


@dataclass(slots=True)
class Trial:
    """What a reader made of a store.

    Attributes
    ----------
    reader : str
        One of `READERS`.
    state : str
        ``reads`` everything; ``fails`` somewhere; ``refused``, because the store names a codec that could run
        code; ``crashed``, ``timed out`` or ``cancelled`` at `at`;
        ``not installed``; ``not tried``, where another process cannot open such a store, or this build of
        the reader opens nothing of the kind.
    version : str or None
        Of the library.
    read : int
        Nodes that went well.
    failures : list of Failure
        Those that did not.
    values : dict of str to FirstValue
        By array, the first value.
    at : str or None
        The node that was tried when it ended too early.
    message : str
        Why it ended, where it did not go through.
    seconds : float
        How long it took.
    """

    reader: str
    state: State = "not tried"
    version: str | None = None
    read: int = 0
    failures: list[Failure] = field(default_factory=list)
    values: dict[str, FirstValue] = field(default_factory=dict)
    at: str | None = None
    message: str = ""
    seconds: float = 0.0


def try_reader(
    name: str,
    hierarchy: Hierarchy,
    *,
    below: str = "/",
    seconds: float = SECONDS,
    cancel: Cancellation | None = None,
) -> Trial:
    """Let a reader open a store, in a process of its own that is killed when its time is over.

    Parameters
    ----------
    name : str
        One of `READERS`.
    hierarchy : Hierarchy
        The store; nodes that are not read yet are read.
    below : str
        The node that is looked at, with all below it.
    seconds : float
        How long it may take.
    cancel : Cancellation, optional
        Ends it at once.

    Returns
    -------
    Trial
        What came of it; never raises because of what the reader does.

    Raises
    ------
    ValueError
        If there is no such reader.
    """
    if name not in PROBES:
        raise ValueError(f"no reader {name!r}; there are {', '.join(READERS)}")
    try:
        with edited_copy(hierarchy.reader) as copy:
            if copy is not None:
                return _try(name, hierarchy, str(copy), below, seconds, cancel, follow_links=True)
            location = _location(hierarchy.reader)
            if isinstance(hierarchy.reader, ReferenceReader):
                if not PROBES[name].references:
                    return Trial(name, message="references are not given to it")
                location = hierarchy.reader.label if hierarchy.reader.again else None
            if location is None:
                why = (
                    "another process can open folders, zip files and public web addresses, and gets no"
                    " credentials"
                )
                return Trial(name, message=why)
            follow_links = hierarchy.reader.follow_links
            if name in FOLLOWS_LINKS and not follow_links and Path(location).is_dir():
                refuse_outside(location)
            return _try(
                name, hierarchy, location, below, seconds, cancel, follow_links=follow_links
            )
    except NotCopied as error:
        return Trial(name, message=str(error))
    except (ReadError, OSError) as error:
        why = error.detail if isinstance(error, ReadError) else error.strerror or str(error)
        return Trial(name, message=f"{name} would follow every link of the store: {why}")


def _try(  # what was asked for
    name: str,
    hierarchy: Hierarchy,
    location: str,
    below: str,
    seconds: float,
    cancel: Cancellation | None,
    *,
    follow_links: bool,
) -> Trial:
    trial = Trial(name)
    program: list[str] = []
    if name == "zarrita":
        found = with_zarrita.find()
        if found is None:
            return Trial(
                name, "not installed", message="Node.js with the package zarrita is not there"
            )
        if "://" not in location and Path(location).is_file():
            return Trial(name, message="it opens zip files from memory only")
        program = [found[0], str(found[1]), *with_zarrita.flags(found[0])]
        trial.version = with_zarrita.version_of(found[1])
    groups, arrays = _nodes(hierarchy.stored, below)
    if PROBES[name].decodes:
        try:
            danger = could_run_code(hierarchy.stored, [*groups, *arrays], cancel)
        except Cancelled:
            return Trial(name, "cancelled", message="stopped")
        if danger is not None:
            return Trial(name, "refused", message=f"it was not started: {danger}")
    asked = {
        "reader": name,
        "location": location,
        "follow_links": follow_links,
        "groups": groups,
        "arrays": arrays,
        "modes": list(url_modes(hierarchy.source)),
        "zarr_format": hierarchy.zarr_format,
        "program": program,
        "seconds": seconds,
        "references": hierarchy.reader.again
        if isinstance(hierarchy.reader, ReferenceReader)
        else None,
    }
    began = time.monotonic()
    _run(trial, asked, seconds, cancel)
    trial.seconds = time.monotonic() - began
    return trial


def _location(reader: Reader) -> str | None:
    """Return where another process finds the store."""
    if reader.url is None:
        return None
    parts = urlsplit(reader.url)
    if parts.scheme == "file":
        path = Path(url2pathname(parts.path))
        return str(path) if path.exists() else None
    secret = parts.username or parts.query
    return reader.url if parts.scheme in ("http", "https") and not secret else None


def _nodes(hierarchy: Hierarchy, below: str) -> tuple[list[str], list[str]]:
    groups: list[str] = []
    arrays: list[str] = []
    for node in hierarchy.walk(below):
        if len(groups) + len(arrays) >= MAX_NODES:
            break
        if isinstance(node, Group):
            groups.append(node.path)
        else:
            arrays.append(node.path)
    if below != "/" and isinstance(hierarchy.get(below), Array):
        # xarray opens groups
        groups.append(below.rpartition("/")[0] or "/")
    return groups, arrays


def _run(trial: Trial, asked: dict[str, Any], seconds: float, cancel: Cancellation | None) -> None:
    with tempfile.TemporaryDirectory(
        prefix="nz-explorer-reader-", ignore_cleanup_errors=True
    ) as folder:
        home = Path(folder, "home")
        home.mkdir()
        sample = _write_sample(Path(folder, "sample"))
        _run_in(str(home), trial, json.dumps({**asked, "sample": str(sample)}), seconds, cancel)


def _write_sample(folder: Path) -> Path:
    (folder / "a" / "c").mkdir(parents=True)
    for key, document in SAMPLE.items():
        (folder / key).write_text(json.dumps(document))
    (folder / "a" / "c" / "0").write_bytes(bytes([1, 2]))
    return folder


def _run_in(
    home: str, trial: Trial, asked: str, seconds: float, cancel: Cancellation | None
) -> None:
    process = subprocess.Popen(  # noqa: S603  # this very package; its instructions go to its standard input
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=_environment(home),
        cwd=home,
        start_new_session=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    listener = threading.Thread(
        target=_listen, args=(process.stdout, lines), name="nz-explorer-reader", daemon=True
    )
    listener.start()
    try:
        if process.stdin is not None:
            process.stdin.write(asked)
            process.stdin.close()
        ended = _follow(trial, lines, time.monotonic() + seconds, cancel)
    except BrokenPipeError:
        ended = False
    finally:
        _kill(process)
        listener.join()
    if not ended and trial.state == "not tried" and _used_its_time(process.returncode):
        trial.state = "timed out"
        trial.message = "it did not finish within its limit of CPU time"
    elif not ended and trial.state == "not tried":
        trial.state = "crashed"
        trial.message = _ending(process.returncode)


def _environment(home: str) -> dict[str, str]:
    package = str(Path(__file__).parents[2])
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([package, *_PYTHON_PATH]),
        # packages that were installed for this user alone are found, although home is elsewhere
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home),
        # each thread of these libraries takes address space, which is limited there
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _listen(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    left = MAX_OUTPUT
    if stream is not None:
        with stream:
            while left > 0 and (line := stream.readline(MAX_LINE)):
                left -= len(line)
                lines.put(line)
    lines.put(None)


def _follow(
    trial: Trial, lines: queue.Queue[str | None], end: float, cancel: Cancellation | None
) -> bool:
    """Receive messages until the end; return whether the end was reached."""
    while True:
        if cancel is not None and cancel.cancelled:
            trial.state, trial.message = "cancelled", "stopped"
            return False
        if (left := end - time.monotonic()) <= 0:
            trial.state, trial.message = "timed out", "it did not finish in time"
            return False
        try:
            line = lines.get(timeout=min(left, 0.1))
        except queue.Empty:
            continue
        if line is None:
            return False
        try:
            said = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError:
            trial.state, trial.message = (
                "crashed",
                f"its output is not understood: {line[:80].strip()}",
            )
            return False
        if _take(trial, said):
            return True


def _take(trial: Trial, said: dict[str, Any]) -> bool:
    """Take in one line; return whether it is the last."""
    if "version" in said:
        trial.version = said["version"]
    elif "missing" in said:
        trial.state, trial.message = (
            "not installed",
            f"the package {said['missing']} is not installed",
        )
        return True
    elif "at" in said:
        trial.at = said["at"]
    elif "error" in said:
        trial.failures.append(
            Failure(
                said["path"],
                said["error"],
                tuple(said.get("kind", ())),
                tuple(said.get("where", ())),
                said.get("during", ""),
            )
        )
    elif "path" in said:
        trial.read += 1
        if said.get("shown") is not None:
            trial.values[said["path"]] = FirstValue(said.get("raw"), said["shown"])
    elif "cannot" in said:
        trial.failures, trial.at = [], None
        trial.message = said["cannot"]
        return True
    elif "done" in said:
        trial.state, trial.at = ("fails" if trial.failures else "reads"), None
        return True
    return False


def _kill(process: subprocess.Popen[str]) -> None:
    """End the process and all that it started, unless it ends by itself within a moment."""
    try:
        process.wait(0.5 if process.stdin is None or process.stdin.closed else 0)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            # its own group, because it was started as the leader of a session
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _used_its_time(code: int) -> bool:
    return hasattr(signal, "SIGXCPU") and code == -signal.SIGXCPU


def _ending(code: int) -> str:
    if code < 0:
        try:
            return f"its process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was ended by signal {-code}"
    return f"its process ended with exit code {code}"
