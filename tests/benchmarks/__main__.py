"""Budgets of the design, measured beside a reference in the same run: ``make bench``.

Prints medians and their ratios, and writes them as JSON (to the file given as argument). A ratio
is told, never a time in a test: machines differ, and so do days.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import nz_explorer
from tests.benchmarks.large import Cost, chain, costs, siblings, tree, write

ROUNDS = 5


@dataclass
class Result:
    """A measurement beside its reference; `ratio` is how many times as fast we are."""

    work: str
    ours: float
    reference: str
    theirs: float | None
    ratio: float | None
    budget: str
    holds: bool


def side_by_side(
    work: str,
    ours: Callable[[], object],
    reference: str,
    theirs: Callable[[], object],
    least: float,
    *,
    rounds: int = ROUNDS,
) -> Result:
    """Take turns, so that what else the machine does hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, taken in zip((ours, theirs), times, strict=True):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
    mine, other = (statistics.median(taken) for taken in times)
    ratio = other / mine
    return Result(work, mine, reference, other, ratio, f">= {least:g} x", ratio >= least)


def write_field(folder: Path) -> Path:
    """Write 240 × 721 × 1440 float32 in chunks of 60 × 121 × 240."""
    rng = np.random.default_rng(0)
    group = zarr.open_group(folder, mode="w")
    array = group.create_array(
        "t",
        shape=(240, 721, 1440),
        chunks=(60, 121, 240),
        dtype="f4",
        dimension_names=("time", "lat", "lon"),
    )
    base = np.add.outer(np.linspace(-30, 30, 721), 10 * np.sin(np.linspace(0, 6, 1440))) + 270
    for start in range(0, 240, 60):
        noise = np.round(rng.normal(size=(60, 721, 1440)), 1)
        array[start : start + 60] = (base + noise).astype("f4")
    return folder


def slices(field: Path) -> Result:
    """Step through slices of chunks that are in memory."""
    import xarray

    from nz_explorer.model import open_store
    from nz_explorer.plots import make
    from nz_explorer.values.reading.chunk_cache import ChunkCache

    hierarchy, cache, at = open_store(field), ChunkCache(2**30), [0, 0]
    everything = {"width": 1440, "height": 721, "cache": cache, "budget": 2**40}
    make(hierarchy, "/t", {"time": 0}, **everything)
    opened = xarray.open_zarr(field, consolidated=False)

    def ours() -> None:
        at[0] += 1
        make(hierarchy, "/t", {"time": at[0] % 60}, **everything)

    def theirs() -> None:
        at[1] += 1
        opened["t"].isel(time=at[1] % 60).load()

    return side_by_side(
        "next slice inside cached chunks", ours, "xarray open_zarr isel load", theirs, 30, rounds=15
    )


def first_picture(field: Path) -> list[Result]:
    """Decode no more than the budget for the first picture, whatever the size."""
    from nz_explorer.model import open_store
    from nz_explorer.plots import make

    huge = field.parent / "huge.zarr"
    array = zarr.create_array(
        huge, shape=(10**6, 10**6), chunks=(1000, 1000), dtype="f8", fill_value=0.0
    )
    for corner in (0, 500_000, 999_000):
        array[corner : corner + 1000, corner : corner + 1000] = 1.0
    results = []
    for work, store, path in (("1 GB", field, "/t"), ("10^12 elements", huge, "/")):
        began = time.perf_counter()
        look = make(open_store(store), path)
        seconds = time.perf_counter() - began
        read = 0 if look.read is None else look.read.decoded_bytes
        name = f"first picture of {work}: {read / 2**20:.1f} MiB decoded"
        results.append(Result(name, seconds, "-", None, None, "<= 64 MiB", read <= 64 * 2**20))
    return results


def statistics_of(field: Path) -> list[Result]:
    """Statistics of a whole array; ours have counts by state and by chunk as well."""
    import dask
    import dask.array

    from nz_explorer import scan

    array = zarr.open_group(field, mode="r")["t"]

    def theirs(*, spread: bool = False) -> None:
        lazy = dask.array.from_zarr(array)
        wanted = [lazy.min(), lazy.max(), lazy.mean(), dask.array.isnan(lazy).sum()]
        found = dask.compute(*wanted, *([lazy.std()] if spread else []))
        if spread:  # which takes the ends of the range, and so another look
            counts, _ = dask.array.histogram(lazy, bins=100, range=found[:2])
            counts.compute()

    return [
        side_by_side(
            "statistics of 1 GB",
            lambda: scan(array, histogram=False),
            "dask min, max, mean, NaN count",
            theirs,
            1.5,
            rounds=3,
        ),
        progress_of(array),
        side_by_side(
            "... with std and histogram",
            lambda: scan(array),
            "dask the same, std, histogram",
            lambda: theirs(spread=True),
            1,
            rounds=3,
        ),
    ]


def progress_of(array: Any) -> Result:
    """Tell what has been found so far."""
    from nz_explorer import scan

    found: list[Any] = []

    return side_by_side(
        "... with progress",
        lambda: scan(array, histogram=False, progress=found.append),
        "the same without",
        lambda: scan(array, histogram=False),
        1 / 1.05,
        rounds=5,
    )


def imports() -> Result:
    """Import in a fresh interpreter."""

    def fresh(module: str) -> Callable[[], object]:
        command = [sys.executable, "-c", f"import {module}"]
        return lambda: subprocess.run(command, check=True)

    return side_by_side(
        "import nz_explorer", fresh("nz_explorer"), "import zarr", fresh("zarr"), 2, rounds=9
    )


def against_zarr(
    work: str, mine: Cost, zarr: Cost, least: float, most: float | None = None
) -> list[Result]:
    """Compare with `zarr members`, which only lists; and the peak of memory with a limit, if there is one."""
    reference = "zarr members, which only lists"
    ratio = zarr.seconds / mine.seconds
    results = [
        Result(
            f"{work} (CPU)",
            mine.seconds,
            reference,
            zarr.seconds,
            ratio,
            f">= {least:g} x",
            ratio >= least,
        )
    ]
    if most is not None:
        name = f"… peak memory {mine.mib:.0f} MiB, of zarr {zarr.mib:.0f} MiB"
        limit = f"<= {most:g} MiB"
        results.append(Result(name, mine.seconds, "-", None, None, limit, mine.mib <= most))
    return results


def walks(folder: Path) -> list[Result]:
    """Walk 10 200 nodes that are not consolidated, with every metadata rule; then with the folders of arrays.

    Most stores repeat themselves; the last row is one in which no two documents are equal.
    """
    works = ("check metadata", "check", "zarr members")
    alike = write(folder / "alike.zarr", tree(200, 50, alike=True))
    rules, folders, theirs = costs(alike, *works, rounds=ROUNDS)
    unlike = write(folder / "unlike.zarr", tree(200, 50))
    other, _, their_other = costs(unlike, *works, rounds=ROUNDS)
    return [
        *against_zarr("walk and metadata rules, 10 200 nodes", rules, theirs, 15),
        *against_zarr("… and the folders of all arrays", folders, theirs, 1),
        *against_zarr("… the first, if no two documents are equal", other, their_other, 10),
    ]


def consolidated(folder: Path) -> list[Result]:
    """Open 101 000 consolidated nodes; check them; check them against the stored documents."""
    nodes = write(folder / "many.zarr", tree(1000, 100, alike=True), consolidated=True)
    unlike = write(folder / "unlike many.zarr", tree(1000, 100), consolidated=True)
    (other,) = costs(unlike, "check consolidated", rounds=1)
    first, rules, everything, theirs = costs(
        nodes, "first level", "check consolidated", "check", "zarr members"
    )
    return [
        *against_zarr("open 101 000 consolidated nodes", first, theirs, 40),
        *against_zarr("… rules on all of them", rules, theirs, 8, 300),
        *against_zarr("… if no two documents are equal", other, theirs, 5),
        *against_zarr("… and on all stored documents and folders", everything, theirs, 1),
    ]


def growth(folder: Path) -> list[Result]:
    """Check stores of more and more nodes, deeper and deeper, wider and wider: the cost of a node stays."""
    shapes = {
        **{f"{100 * n + n:,} nodes": (101 * n, tree(n, 100)) for n in (10, 100, 1000)},
        **{f"{d} levels": (2000, chain(d, 2000 // d - 1)) for d in (1, 20, 200)},
        **{f"{n:,} siblings": (n, tree(1, n)) for n in (10, 100, 1000, 10_000)},
    }
    measured = [
        (name, number, costs(write(folder / name, nodes), "check")[0].seconds / number)
        for name, (number, nodes) in shapes.items()
    ]
    usual = measured[0][2]
    return [
        Result(
            f"check, {name} (CPU of a node)",
            seconds,
            f"a node of {measured[0][0]}",
            usual,
            usual / seconds,
            ">= 0.5 x" if number >= 1000 else "none, so few",
            usual / seconds >= 0.5 or number < 1000,
        )
        for name, number, seconds in measured
    ]


def group(folder: Path) -> list[Result]:
    """Check a group of 300,000 arrays, stored and consolidated: the cost of a node is that of one among 1,000."""
    results = []
    for is_consolidated, work in ((False, "check metadata"), (True, "check consolidated")):
        few, many = (
            costs(
                write(folder / f"{work} {n}", siblings(n), consolidated=is_consolidated, stored=not is_consolidated),
                work,
                rounds=rounds,
            )[0]
            for n, rounds in ((1000, 5), (300_000, 1))
        )  # fmt: skip
        ours, usual = many.seconds / 300_000, few.seconds / 1000
        name = f"{work}, a node of 300 000 in a group, {many.mib:.0f} MiB (CPU)"
        ratio, least = usual / ours, 1 / 1.5
        results.append(
            Result(name, ours, "one of 1 000", usual, ratio, ">= 0.67 x", ratio >= least)
        )
    return results


def chunks(folder: Path) -> list[Result]:
    """Draw a map of ever more small chunks, of which six were written: each is asked for."""
    from nz_explorer.model import open_store
    from nz_explorer.plots import make

    stores = {}
    for side in (10, 1000):
        array = zarr.create_array(
            folder / f"chunks-{side}",
            shape=(10 * side, 10 * side),
            chunks=(10, 10),
            dtype="f4",
            fill_value=0.0,
        )
        for place in range(6):
            at = 10 * (place * side // 6)
            array[at : at + 10, at : at + 10] = 1.0
        stores[side] = folder / f"chunks-{side}"
    return [
        side_by_side(
            "first picture of 10^6 chunks, 6 of them written",
            lambda: make(open_store(stores[1000]), "/"),
            "that of 100 chunks",
            lambda: make(open_store(stores[10]), "/"),
            1 / 10,
        )
    ]


def bundle() -> list[Result]:
    """Weigh what the browser loads, packed as a server packs it."""
    import gzip

    files = sorted((Path(nz_explorer.__file__).parent / "widget" / "static").glob("widget.*"))
    size = sum(len(gzip.compress(f.read_bytes())) for f in files if f.suffix in (".js", ".css"))
    name = f"widget JS + CSS: {size / 1000:.1f} kB gzip"
    return [Result(name, 0, "-", None, None, "<= 75 kB", 0 < size <= 75_000)]


def run_again(folder: Path) -> Result:
    """Run a cell again and again that shows a picture of 160 MB; growth of the kernel after the second time."""
    from jupyter_client.manager import start_new_kernel

    array = zarr.create_array(
        folder / "picture.zarr", shape=(4000, 5000), chunks=(1000, 1000), dtype="f8"
    )
    array[:] = np.random.default_rng(0).normal(size=array.shape)
    manager, client = start_new_kernel()
    resident: list[float] = []

    def run(code: str) -> str:
        said: list[str] = []
        reply = client.execute_interactive(
            code, output_hook=lambda one: said.append(one["content"].get("text", "")), timeout=300
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(said)

    source = str(folder / "picture.zarr")
    began = time.perf_counter()
    try:
        run("import nz_explorer as nz")
        for _ in range(20):
            run(f"ex = nz.explore({source!r}, budget=2**30)\nex.values(whole=True).sum()\nex")
            pages = run("print(open('/proc/self/statm').read().split()[1])")
            resident.append(int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    second, last = resident[1], resident[-1]
    work = f"a cell run 20 times, picture of 160 MB: {second:.0f} MiB, then {last:.0f} MiB"
    took = time.perf_counter() - began
    return Result(work, took, "-", None, None, "<= 120 MB more", last - second <= 120)


def progress(folder: Path) -> Result:
    """Scan 100 000 chunks with and without telling the progress."""
    from nz_explorer import scan

    store = folder / "progress.zarr"
    array = zarr.create_array(store, shape=(1_600_000,), chunks=(16,), shards=(1600,), dtype="f4")
    array[:] = np.random.default_rng(0).normal(size=array.shape)

    def cpu(tell: Callable[[Any], object] | None) -> float:
        began = time.process_time()
        scan(array, progress=tell)
        return time.process_time() - began

    taken = [(cpu(lambda _: None), cpu(None)) for _ in range(3)]
    ours, theirs = (statistics.median(one) for one in zip(*taken, strict=True))
    work = "scan of 100 000 chunks, with progress (CPU)"
    ratio = theirs / ours
    return Result(work, ours, "without", theirs, ratio, ">= 0.95 x", ratio >= 0.95)


def remote(folder: Path) -> Result:
    """Walk 1 020 nodes that are not consolidated in a store that takes 50 ms for a request."""
    from nz_explorer.model import open_store
    from tests.network import slow_store

    nodes = write(folder / "remote.zarr", tree(20, 50))

    def ours() -> None:
        assert sum(1 for _ in open_store(slow_store(nodes, 0.05)).walk()) == 1021

    def theirs() -> None:
        store = slow_store(nodes, 0.05)
        group = zarr.open_group(store, mode="r", use_consolidated=False)
        assert len(dict(group.members(max_depth=None))) == 1020

    return side_by_side(
        "walk 1 020 nodes at 50 ms a request", ours, "zarr members", theirs, 10, rounds=3
    )


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.1f}ms" if seconds >= 0.001 else f"{1e6 * seconds:.1f}µs"


def slider(folder: Path) -> Result:
    """Move a slider in JupyterLab, in chunks that are in memory, until the picture is painted."""
    from tests.benchmarks import slider as moves

    taken = moves.measure(moves.write(folder / "slider.zarr"))
    middle, most = (moves.percentile(taken, part) for part in (50, 95))
    work = f"slider to picture, {len(taken)} steps: p50 {middle:.0f} ms, p95"
    return Result(work, most / 1000, "JupyterLab, Chromium", None, None, "<= 80 ms", most <= 80)


def show(results: list[Result]) -> None:
    """Print a table."""
    print(f"{'work':<48} {'ours':>10} {'reference':>10} {'ratio':>8}  budget")
    for one in results:
        theirs = "" if one.theirs is None else _time(one.theirs)
        ratio = "" if one.ratio is None else f"{one.ratio:7.2f}x"
        verdict = "holds" if one.holds else "MISSED"
        print(
            f"{one.work:<48} {_time(one.ours):>10} {theirs:>10} {ratio:>8}  "
            f"{one.budget} {verdict}   ({one.reference})"
        )


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", nargs="?", type=Path, help="where to write the JSON")
    options.add_argument("--only", default="", help="a word in the name of what to measure")
    given = options.parse_args()
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work: dict[str, Callable[[], Any]] = {
            "imports": imports,
            "slices": lambda: slices(field),
            "picture": lambda: first_picture(field),
            "statistics": lambda: statistics_of(field),
            "walks": lambda: walks(folder),
            "run again": lambda: run_again(folder),
            "progress": lambda: progress(folder),
            "remote": lambda: remote(folder),
            "consolidated": lambda: consolidated(folder),
            "growth": lambda: growth(folder),
            "group": lambda: group(folder),
            "chunks": lambda: chunks(folder),
            "bundle": bundle,
            "slider": lambda: slider(folder),
        }
        chosen = [call for word, call in work.items() if given.only in word]
        if any(word in ("slices", "picture", "statistics") and given.only in word for word in work):
            field = write_field(folder / "field.zarr")
        for call in chosen:
            found = call()
            results += found if isinstance(found, list) else [found]
    show(results)
    if given.output is not None:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
        }
        given.output.write_text(
            json.dumps({**machine, "results": [asdict(one) for one in results]}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
