"""Stores of many nodes, and what is done with them in processes of their own: ``python -m tests.benchmarks.large``.

A fresh process for each measurement: what one of them keeps in memory is no burden to the next, and its
peak is its own. Times are those of the processor, in all threads, after imports and the same work on a tiny
store: what else the machine does then counts for little.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

Json = dict[str, Any]

# --- stores ---------------------------------------------------------------------------------------


def _group(title: str) -> Json:
    return {"attributes": {"title": title}, "zarr_format": 3, "node_type": "group"}


def _array(dimensions: dict[str, int], dtype: str, attributes: Json) -> Json:
    shape = list(dimensions.values())
    return {
        "shape": shape,
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
        ],
        "attributes": attributes,
        "dimension_names": list(dimensions),
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }


AXES = {"time": 240, "lat": 721, "lon": 1440}


def _arrays(stem: str, number: int, alike: bool) -> Iterator[tuple[str, Json]]:
    """Yield coordinates and data as a group of a model's output has them.

    Where they are alike each group has the same, as the runs of a model do; else no two documents are equal.
    """
    for i in range(number):
        if i < len(AXES):
            name, length = list(AXES.items())[i]
            attributes = {"standard_name": name, "units": "1", **({} if alike else {"run": stem})}
            yield f"{stem}{name}", _array({name: length}, "float64", attributes)
        else:
            long_name = f"variable {i}" if alike else f"variable {i} of {stem}"
            about = {"units": "K", "long_name": long_name, "_FillValue": -9999.0}
            yield (
                f"{stem}v{i}",
                _array(AXES if i % 3 else {"lat": 721, "lon": 1440}, "float32", about),
            )


def tree(groups: int, arrays: int, *, alike: bool = False) -> Iterator[tuple[str, Json]]:
    """Yield path and document of some groups of some arrays each."""
    for i in range(groups):
        yield f"run{i}", _group(f"run {i}")
        yield from _arrays(f"run{i}/", arrays, alike)


def chain(depth: int, arrays: int) -> Iterator[tuple[str, Json]]:
    """Yield path and document of groups inside of each other, with some arrays in each."""
    stem = ""
    for level in range(depth):
        yield f"{stem}g", _group(f"level {level}")
        stem += "g/"
        yield from _arrays(stem, arrays, alike=False)


def siblings(number: int) -> Iterator[tuple[str, Json]]:
    """Yield path and document of arrays in one group, no two of them equal."""
    return _arrays("", number, alike=False)


@contextmanager
def room(folder: Path, files: int, size: int) -> Iterator[Path]:
    """Give a folder for stores of many files, which is emptied quickly afterwards.

    It is in memory where there is room for so many names and bytes: a disk takes half a millisecond to remove each
    node, and took a quarter of an hour to write a million. What is measured is the processor's time, in the same files.
    """
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        there = os.statvfs(memory)
        if there.f_favail >= files and there.f_bavail * there.f_frsize >= size:
            folder = memory
    made = tempfile.mkdtemp(dir=folder)
    try:
        yield Path(made)
    finally:
        subprocess.run(["rm", "-rf", made], check=True)  # ten times as fast as Python


def write(
    folder: Path,
    nodes: Iterator[tuple[str, Json]],
    *,
    consolidated: bool = False,
    stored: bool = True,
) -> Path:
    """Write a store the way zarr-python does, without its help, which would take minutes."""
    root = {"attributes": {"conventions": "NZ-1.0"}, "zarr_format": 3, "node_type": "group"}
    entries: Json = {}
    folder.mkdir(exist_ok=True)
    for path, document in nodes:
        if stored:
            os.makedirs(f"{folder}/{path}")  # noqa: PTH103  # hundreds of thousands of times
            with open(f"{folder}/{path}/zarr.json", "wb") as file:  # noqa: PTH123
                file.write(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        if consolidated:
            entries[path] = document
    if consolidated:
        root["consolidated_metadata"] = {
            "kind": "inline",
            "must_understand": False,
            "metadata": entries,
        }
    # Consolidated metadata stand in one line, which is half of the bytes (60 MB of 101 000 nodes).
    (folder / "zarr.json").write_text(json.dumps(root, indent=None if consolidated else 2))
    return folder


# --- work -----------------------------------------------------------------------------------------


def lists_arrays() -> list[str]:
    """Return the rules that list the folders of arrays, where chunks lie; what the reference does not look into."""
    from nz_explorer.conventions import registry

    return sorted(registry().ids_on("inside", 3))


def _check(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    return lambda: nz.check(store, values="none", progress=False).counts


def _check_metadata(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    ignored = lists_arrays()
    return lambda: nz.check(store, values="none", progress=False, ignore=ignored).counts


def _check_consolidated(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    # what reads the stored documents, or lists folders, beside consolidated metadata
    ignored = ["NZ-CONS", *lists_arrays()]
    return lambda: nz.check(store, values="none", progress=False, ignore=ignored).counts


def _check_documents(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    return lambda: (
        nz.check(nz.open_store(store, consolidated=False), values="none", progress=False).counts
    )


def _first_level(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    return lambda: nz.open_store(store).children("/")


def _census(store: str) -> Callable[[], object]:
    import nz_explorer as nz

    array = next(one for one in nz.open_store(store).walk() if one.kind == "array")
    return lambda: nz.census(array)


def _zarr_members(store: str) -> Callable[[], object]:
    import zarr

    return lambda: dict(zarr.open_group(store, mode="r").members(max_depth=None))


WORK: dict[str, Callable[[str], Callable[[], object]]] = {
    "check": _check,
    "check metadata": _check_metadata,
    "check consolidated": _check_consolidated,
    "check documents": _check_documents,
    "census": _census,
    "first level": _first_level,
    "zarr members": _zarr_members,
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a piece of work costs in a process of its own: medians of some rounds; `idle` is the peak before it."""

    seconds: float
    mib: float
    idle: float


def costs(store: Path, *works: str, rounds: int = 3) -> list[Cost]:
    """Measure pieces of work, taking turns."""
    found: list[list[Cost]] = [[] for _ in works]
    for _ in range(rounds):
        for work, measured in zip(works, found, strict=True):
            command = [sys.executable, "-m", __name__, work, str(store)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            measured.append(Cost(**json.loads(answer)))
    return [
        Cost(
            statistics.median(cost.seconds for cost in measured),
            statistics.median(cost.mib for cost in measured),
            statistics.median(cost.idle for cost in measured),
        )
        for measured in found
    ]


def main(work: str, store: str) -> None:
    """Do one piece of work and print what it has cost."""
    with tempfile.TemporaryDirectory() as small:
        WORK[work](str(write(Path(small), tree(1, 3), consolidated=True)))()
    run, idle = WORK[work](store), peak_memory()
    began = time.process_time()
    run()
    seconds = time.process_time() - began
    print(json.dumps({"seconds": seconds, "mib": peak_memory(), "idle": idle}))


def peak_memory() -> float:
    """Return the most memory that this process has had, in MiB."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # What getrusage says is never less than what the parent had when it started this process.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**10


if __name__ == "__main__":
    main(*sys.argv[1:])
