"""What readers do with each case of the conformance corpus.

Each case is tried in a process of its own with a limit of time and memory, as ``nz-explorer readers`` tries a store.
A reader is imported once, and its processes are forked from there. ``docs/readers.json`` keeps what was found, by reader,
its version and the content of the case, so that only what is new is tried again; ``build/docs/readers.json`` is the new one.
Of a reader that is not installed, what was found where it was stays. All are tried, and ``docs/readers.json`` written, by

    pip install tensorstore rasterio && npm install --prefix /tmp/readers zarrita
    NODE_PATH=/tmp/readers/node_modules python -m docs.matrix
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from nz_explorer.diagnosis.probes import PROBES, Probe, with_zarrita  # noqa: E402
from nz_explorer.diagnosis.probes.answers import Answers, Asked  # noqa: E402
from nz_explorer.diagnosis.sandbox import confine, leave_network  # noqa: E402
from nz_explorer.model import Array, Group, Hierarchy, open_store  # noqa: E402
from nz_explorer.store import ReadError, SourceError  # noqa: E402
from nz_explorer.testing.corpus import contents, write, write_corpus  # noqa: E402

READERS = ("zarr-python", "xarray", "netCDF-C", "tensorstore", "GDAL", "zarrita")
KEPT = ROOT / "docs" / "readers.json"
SECONDS = 10.0
MOST_NODES = 60
MOST_LETTERS = 90
LIBRARIES = {
    "zarr": ("zarr", "numcodecs"),
    "xarray": ("xarray", "pandas", "zarr", "numcodecs", "xarray.backends.zarr", "dask.array"),
    "netCDF4": ("netCDF4",),
    "tensorstore": ("tensorstore",),
    "rasterio": ("rasterio",),
    "zarrita": (),
}
"""Distribution → what is imported before processes are forked."""
OPENING = re.compile(r'Error opening "zarr3?" driver: (?:Error reading local file "[^"]*": )?')
"""What each message of tensorstore begins with."""
NO_ZIP = "– (it opens zip files from memory only)"
NO_V3 = "– (this build reads no Zarr v3)"

Found = dict[str, dict[str, Any]]


def matrix(new: Path) -> tuple[list[dict[str, Any]], Found]:
    """Return the cases, and for each reader its version and what it does with each of them.

    Parameters
    ----------
    new : Path
        Where what was found is written.
    """
    kept: Found = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    found: Found = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        store = write(contents({"base": "plain"}), Path(scratch) / "healthy")
        healthy = Asked(str(store), *_nodes(store)[:2], zarr_format=3)
        cases = [_asked(folder / one["folder"], one) for one in write_corpus(folder)["cases"]]
        for name in READERS:
            probe, known = PROBES[name], kept.get(name, {})
            has = _version(name)
            answers = known.get("cases", {}) if has in (None, known.get("version")) else {}
            missing = [one for one in cases if one["key"] not in answers]
            answers = {one["key"]: answers[one["key"]] for one in cases if one["key"] in answers}
            if has is None:
                found[name] = {
                    "version": known.get("version"),
                    "cases": dict(sorted(answers.items())),
                }
                sys.stdout.write(
                    f"{name} is not installed: kept is what {len(answers)} cases gave\n"
                )
                continue
            answers |= _apart(probe, healthy, missing)
            found[name] = {"version": has, "cases": dict(sorted(answers.items()))}
            sys.stdout.write(f"{name} {has}: {len(missing)} of {len(cases)} cases tried\n")
            sys.stdout.flush()
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", "utf-8")
    return cases, found


def _version(name: str) -> str | None:
    """Return the version of a reader, None where it is not installed."""
    package = PROBES[name].package
    if name == "zarrita":
        where = with_zarrita.find()
        return None if where is None else with_zarrita.version_of(where[1])
    try:
        found = version(package)
    except PackageNotFoundError:
        return None
    if name == "GDAL":
        return f"{import_module(package).__gdal_version__} ({package} {found})"
    return found


def _asked(place: Path, case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with what readers are asked, and a key that changes with its content."""
    said = json.loads((place / "expect.json").read_text("utf-8"))
    store = place / said["source"]
    content = hashlib.sha256()
    for file in [store] if store.is_file() else sorted(store.rglob("*")):
        content.update(str(file.relative_to(place)).encode())
        # the bytes of a zip file hold the time at which it was written
        content.update(file.read_bytes() if file.is_file() and store.is_dir() else b"")
    groups, arrays, zarr_format = _nodes(store)
    asked = Asked(str(store), groups, arrays, zarr_format=zarr_format)
    return {**case, "kind": said["kind"], "key": content.hexdigest()[:16], "asked": asked}


def _nodes(store: Path) -> tuple[list[str], list[str], int | None]:
    groups, arrays = ["/"], []
    try:
        hierarchy: Hierarchy = open_store(store)
        for number, node in enumerate(hierarchy.walk()):
            if number >= MOST_NODES:
                break
            if isinstance(node, Array):
                arrays.append(node.path)
            elif isinstance(node, Group) and node.path != "/":
                groups.append(node.path)
        if isinstance(hierarchy.root, Array):
            groups = []
    except (SourceError, ReadError):
        return groups, arrays, None
    return groups, arrays, hierarchy.zarr_format


def _apart(probe: Probe, healthy: Asked, cases: list[dict[str, Any]]) -> dict[str, str]:
    """Try cases from another process that has imported the reader."""
    if not cases:
        return {}
    read, written = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        code = 1
        try:
            warnings.simplefilter("ignore")
            for module in LIBRARIES[probe.package]:
                with suppress(ImportError):  # what is only there to be faster
                    import_module(module)
            _ = probe.run  # its module
            program = []
            if probe.package == "zarrita" and (where := with_zarrita.find()) is not None:
                program = [where[0], str(where[1]), *with_zarrita.flags(where[0])]
            import_module("nz_explorer.store.local.contained_store")
            leave_network()  # once, for all that are forked from here: each time it takes long
            with os.fdopen(written, "w", encoding="utf-8") as stream:
                reads_v3 = _one(probe, replace(healthy, program=program)) == "reads"
                for one in cases:
                    asked = replace(one["asked"], program=program)
                    tried = reads_v3 or asked.zarr_format != 3
                    what = _one(probe, asked) if tried else NO_V3
                    if program and asked.is_zip:
                        what = NO_ZIP
                    stream.write(json.dumps([one["key"], what]) + "\n")
            code = 0
        finally:
            os._exit(code)
    os.close(written)
    with os.fdopen(read, encoding="utf-8") as stream:
        found = dict(json.loads(line) for line in stream)
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(f"{probe.package}: the process that tries the cases ended with {status}")
    return found


def _one(probe: Probe, asked: Asked) -> str:
    """Try one case in a process of its own; return what happened in a few words."""
    read, written = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            stream = io.TextIOWrapper(io.FileIO(written, "w"), encoding="utf-8")
            answers = Answers(stream, asked.location)
            confine(network=True, seconds=SECONDS, programs=bool(asked.program))
            try:
                probe.run(asked, answers)
            except Exception as error:  # noqa: BLE001  # readers raise what they like, and that is the answer
                answers.failed("/", error, "opening")
            answers.write(done=True)
            code = 0
        finally:
            os._exit(code)
    os.close(written)
    text, timed_out = _listen(read, child)
    _, status = os.waitpid(child, 0)
    if timed_out:
        return f"no answer within {SECONDS:g} seconds"
    lines = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
    if os.WIFSIGNALED(status):
        return f"crashes: {signal.Signals(os.WTERMSIG(status)).name}"
    if not lines or "done" not in lines[-1]:
        return "ends without an answer"
    failed = [line for line in lines if "error" in line]
    if not failed:
        return "reads"
    first = failed[0]
    error = OPENING.sub("", first["error"])[:MOST_LETTERS]
    return f"{error} ({first['path']})" if len(failed) == 1 else f"{error} ({len(failed)} nodes)"


def _listen(read: int, child: int) -> tuple[str, bool]:
    deadline, pieces = time.monotonic() + SECONDS, []
    with os.fdopen(read, "rb", buffering=0) as stream:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                return b"".join(pieces).decode(errors="replace"), True
            piece = stream.read(65536)
            if not piece:
                return b"".join(pieces).decode(errors="replace"), False
            pieces.append(piece)


if __name__ == "__main__":
    matrix(KEPT)
