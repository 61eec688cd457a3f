"""Starting the other process, and what is learnt from it, however it ends."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

from nz_explorer.model import Array, Group, Hierarchy
from nz_explorer.readers.probe import READERS as PROBES
from nz_explorer.store import Cancellation, Reader

READERS: tuple[str, ...] = tuple(PROBES)
COMMAND = [sys.executable, "-m", "nz_explorer.readers.probe"]
SECONDS = 30.0
MAX_NODES = 2000
MAX_LINE = 64 * 1024
ENVIRONMENT = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "PYTHONPATH", "PYTHONHOME",
    "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HDF5_PLUGIN_PATH", "SSL_CERT_FILE",
)  # fmt: skip
"""What the other process gets of the environment: where programs are, and none of the secrets."""

State = Literal["reads", "fails", "crashed", "timed out", "cancelled", "not installed", "not tried"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A node that a reader could not open or read, and what it said."""

    path: str
    message: str


@dataclass(slots=True)
class Trial:
    """What a reader made of a store.

    Attributes
    ----------
    reader : str
        One of `READERS`.
    state : str
        ``reads`` everything; ``fails`` somewhere; ``crashed``, ``timed out`` or ``cancelled`` at `at`;
        ``not installed``; ``not tried``, where another process cannot open such a store.
    version : str or None
        Of the library.
    read : int
        Nodes that went well.
    failures : list of Failure
        Those that did not.
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
    """
    if name not in PROBES:
        raise ValueError(f"no reader {name!r}; there are {', '.join(READERS)}")
    location = _location(hierarchy.reader)
    if location is None:
        why = "another process can open folders, zip files and public web addresses, and gets no credentials"
        return Trial(name, message=why)
    groups, arrays = _nodes(hierarchy.stored, below)
    asked = {"reader": name, "location": location, "groups": groups, "arrays": arrays}
    trial = Trial(name)
    began = time.monotonic()
    _run(trial, json.dumps(asked), seconds, cancel)
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


def _run(trial: Trial, asked: str, seconds: float, cancel: Cancellation | None) -> None:
    process = subprocess.Popen(  # noqa: S603  # this very package; what it is told goes to its standard input
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=_environment(),
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
    if not ended and trial.state == "not tried":
        trial.state = "crashed"
        trial.message = _ending(process.returncode)


def _environment() -> dict[str, str]:
    package = str(Path(__file__).parents[2])
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    paths = [package, *filter(None, [kept.get("PYTHONPATH")])]
    # each thread of these libraries takes address space, which is limited there
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**kept, **single, "PYTHONPATH": os.pathsep.join(paths)}


def _listen(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if stream is not None:
        with stream:
            while line := stream.readline(MAX_LINE):
                lines.put(line)
    lines.put(None)


def _follow(
    trial: Trial, lines: queue.Queue[str | None], end: float, cancel: Cancellation | None
) -> bool:
    """Take in what is said until it is over; return whether it came to its end."""
    while True:
        if cancel is not None and cancel.cancelled:
            trial.state, trial.message = "cancelled", "stopped"
            return False
        if (left := end - time.monotonic()) <= 0:
            trial.state, trial.message = "timed out", "it was still at it when its time was over"
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
                f"it said what is no message: {line[:80].strip()}",
            )
            return False
        if _take(trial, said):
            return True


def _take(trial: Trial, said: dict[str, Any]) -> bool:
    """Take in one line; return whether it is the last."""
    if "version" in said:
        trial.version = said["version"]
    elif "missing" in said:
        trial.state, trial.message = "not installed", f"the package {said['missing']} is not there"
        return True
    elif "at" in said:
        trial.at = said["at"]
    elif "error" in said:
        trial.failures.append(Failure(said["path"], said["error"]))
    elif "path" in said:
        trial.read += 1
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


def _ending(code: int) -> str:
    if code < 0:
        try:
            return f"its process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was ended by signal {-code}"
    return f"its process ended with exit code {code}"
