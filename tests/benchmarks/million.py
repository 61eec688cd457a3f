"""One million nodes in ten thousand groups, consolidated per group or not at all: ``python -m tests.benchmarks --only million``.

The documents of the arrays are links to a hundred files. Every step is one of the same process, as in a kernel: opened, some groups
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

from tests.benchmarks.large import lists_arrays, peak_memory, tree, write
from tests.benchmarks.results import Result, alone

GROUPS, ARRAYS = 10_000, 99


def make(folder: Path, groups: int = GROUPS, *, consolidated: bool = False) -> Path:
    """Write the store: one group, and all others with links to the documents of its arrays."""
    store = write(folder, tree(1, ARRAYS, alike=True))
    names = sorted(one.name for one in (store / "run0").iterdir() if one.is_dir())
    entries = {
        name: json.loads((store / "run0" / name / "zarr.json").read_text()) for name in names
    }
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    for number in range(groups):
        group = store / f"run{number}"
        if number:
            group.mkdir()
            for name in names:
                (group / name).mkdir()
                os.link(store / "run0" / name / "zarr.json", group / name / "zarr.json")
        document = {
            "attributes": {"title": f"run {number}"},
            "zarr_format": 3,
            "node_type": "group",
        }
        more = {"consolidated_metadata": held} if consolidated else {}
        (group / "zarr.json").write_text(json.dumps({**document, **more}))
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
    return [
        *_rows(make(folder / "million.zarr"), "not consolidated"),
        *_rows(make(folder / "held.zarr", consolidated=True), "consolidated per group"),
    ]


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
