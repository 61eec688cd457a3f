"""One million nodes in ten thousand groups, consolidated per group or not at all: ``python -m tests.benchmarks --only million``.

The documents of the arrays are links to a hundred files; for the second measurement those of the groups are written anew. Every step is one of the same process, as in a kernel: opened, some groups
expanded, walked with the rules on metadata for some seconds, stopped, and gone on with to the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.benchmarks.large import lists_arrays, peak_memory, room, tree, write
from tests.benchmarks.results import Result, alone

GROUPS, ARRAYS = 10_000, 99
FILES, BYTES = 2_100_000, 2 * 2**30
"""What the store takes of a file system in memory: names, and bytes."""


def make(folder: Path, groups: int = GROUPS) -> Path:
    """Write the store: one group, and all others with links to the documents of its arrays."""
    store = write(folder, tree(1, ARRAYS, alike=True))
    names = sorted(one.name for one in (store / "run0").iterdir() if one.is_dir())
    documents = [(f"/{name}", f"{store}/run0/{name}/zarr.json") for name in names]
    for number in range(1, groups):
        group = f"{store}/run{number}"
        os.mkdir(group)  # noqa: PTH102  # a million times
        for name, document in documents:
            array = group + name
            os.mkdir(array)  # noqa: PTH102
            os.link(document, f"{array}/zarr.json")
    return entitle(store, groups)


def entitle(store: Path, groups: int = GROUPS, *, consolidated: bool = False) -> Path:
    """Write the documents of the groups, which are consolidated or not."""
    run = store / "run0"
    names = sorted(one.name for one in run.iterdir() if one.is_dir())
    entries = {name: json.loads((run / name / "zarr.json").read_text()) for name in names}
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    more = json.dumps({"consolidated_metadata": held})[1:-1] + ", " if consolidated else ""
    for number in range(groups):
        start = f'{{"attributes": {{"title": "run {number}"}}, "zarr_format": 3, '
        (store / f"run{number}" / "zarr.json").write_text(f'{start}{more}"node_type": "group"}}')
    return store


def work(store: str) -> None:
    """Use the store and print what each step took."""
    import nz_explorer as nz
    from nz_explorer.conventions import evaluate
    from nz_explorer.store import Cancellation

    began = time.perf_counter()
    hierarchy = nz.open_store(store)
    groups = hierarchy.children("/")
    times = [time.perf_counter() - began]
    for group in (groups[0], groups[len(groups) // 2], groups[-1]):
        began = time.perf_counter()
        hierarchy.children(group)
        times.append(time.perf_counter() - began)
    evaluation = evaluate(hierarchy, values="none", ignore=lists_arrays())
    cancel = Cancellation()
    threading.Timer(3, cancel.cancel).start()
    evaluation.run(cancel)
    stopped = sum(evaluation.nodes.values())
    began = time.process_time()
    evaluation.run()
    nodes, cpu = sum(evaluation.nodes.values()), time.process_time() - began
    print(json.dumps([times[0], max(times[1:]), stopped, nodes, cpu, peak_memory()]))


def rows(folder: Path) -> list[Result]:
    """Measure both."""
    with room(folder, FILES, BYTES) as inside:
        store = make(inside / "million.zarr")
        found = _rows(store, "not consolidated")
        found += _rows(entitle(store, consolidated=True), "consolidated per group")
    return found


def _rows(store: Path, which: str) -> list[Result]:
    """Measure it in a process of its own."""
    command = [sys.executable, "-m", __name__, str(store)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    opened, expanded, stopped, nodes, cpu, mib = json.loads(answer)
    walked = f"… walked: stopped at {stopped:,}, gone on to {nodes:,} (CPU)"
    return [
        alone(
            f"{nodes:,} nodes, {which}: open, first level of {GROUPS:,}",
            opened,
            "<= 1 s",
            opened <= 1,
        ),
        alone("… expand a group, the slowest of three", expanded, "<= 0.2 s", expanded <= 0.2),
        alone(f"{walked}, {mib:.0f} MiB", cpu, "<= 1536 MiB", mib <= 1536),
    ]


if __name__ == "__main__":
    work(sys.argv[1])
