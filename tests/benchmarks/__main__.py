"""Budgets of the design, measured beside a reference in the same run: ``make bench``.

Prints medians and their ratios, and writes them as JSON (to the file given as argument). A ratio
is told, never a time in a test: machines differ, and so do days.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import nz_explorer
from tests.benchmarks import growth, million, nodes, stopping, values
from tests.benchmarks import slider as moves
from tests.benchmarks import start as launch
from tests.benchmarks.large import room, tree, write
from tests.benchmarks.results import Result, side_by_side

STATISTICS = ("statistics whole", "statistics progress", "statistics histogram")


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


def statistics_of(field: Path, rows: Collection[str]) -> list[Result]:
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

    whole, progress, histogram = STATISTICS
    measured: dict[str, Callable[[], Result]] = {
        whole: lambda: side_by_side(
            "statistics of 1 GB",
            lambda: scan(array, histogram=False),
            "dask min, max, mean, NaN count",
            theirs,
            1.5,
            rounds=5,
        ),
        progress: lambda: progress_of(array),
        histogram: lambda: side_by_side(
            "... with std and histogram",
            lambda: scan(array),
            "dask the same, std, histogram",
            lambda: theirs(spread=True),
            1,
            rounds=3,
        ),
    }
    return [measure() for row, measure in measured.items() if row in rows]


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
    """Scan 20 000 chunks with and without telling the progress, a tenth of them at a time."""
    from nz_explorer import scan

    store = folder / "progress.zarr"
    array = zarr.create_array(store, shape=(32_000,), chunks=(16,), shards=(1600,), dtype="f4")
    array[:1600] = np.random.default_rng(0).normal(size=1600)
    first = (store / "c/0").read_bytes()
    for nth in range(1, 20):  # zarr would take some seconds
        (store / f"c/{nth}").write_bytes(first)

    def cpu(tell: Callable[[Any], object] | None) -> float:
        began = time.process_time()
        scan(array, progress=tell)
        return time.process_time() - began

    # A machine is faster or slower by 6 % for seconds at a time: each scan is beside its reference, first and second in turns.
    ours = theirs = 0.0
    for nth in range(40):
        for told in (nth % 2 == 0, nth % 2 != 0):
            taken = cpu((lambda _: None) if told else None)
            ours, theirs = ours + taken * told, theirs + taken * (not told)
    work = "scan of 20 000 chunks, with progress (CPU)"
    ratio = theirs / ours
    return Result(work, ours / 4, "without", theirs / 4, ratio, ">= 0.95 x", ratio >= 0.95)


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


def slider(folder: Path) -> list[Result]:
    """Move a slider in JupyterLab, in chunks that are in memory, until the picture is painted."""
    motion = moves.measure(moves.write(folder / "slider.zarr"))
    taken = motion.moves
    middle, most = (moves.percentile(taken, part) for part in (50, 95))
    where = "JupyterLab, Chromium"
    cpu = [1000 * one for one in (motion.move_cpu, motion.play_cpu)]
    work = f"slider to picture, {len(taken)} steps, {cpu[0]:.0f} ms of CPU each: p50 {middle:.0f} ms, p95"
    play = f"play: {motion.rate:.1f} pictures a second, {cpu[1]:.0f} ms of CPU each; between two of them"
    return [
        Result(work, most / 1000, where, None, None, "<= 80 ms", most <= 80),
        Result(play, 1 / motion.rate, where, None, None, ">= 12 a second", motion.rate >= 11.95),
    ]


def requests() -> list[Result]:
    """Count what each step costs over a network, and put the table into the documentation."""
    from tests.benchmarks import far

    costs = far.measure()
    far.put("requests", far.table(costs))
    found = []
    for cost in costs:
        work = f"{cost.step}, {cost.where}: {cost.requests} requests, {cost.in_a_row} in a row; at 50 ms"
        found.append(values.alone(work, cost.seconds[1], "<= 3 in a row", cost.in_a_row <= 3))
    return found


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


def keep(results: list[Result], output: Path) -> None:
    """Write results as JSON, and which machine they are of."""
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    output.write_text(
        json.dumps({**machine, "results": [asdict(one) for one in results]}, indent=1) + "\n"
    )


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", nargs="?", type=Path, help="where to write the JSON")
    options.add_argument(
        "--only", default="", help="words in the name of a row, such as 'consolidated rules'"
    )
    given = options.parse_args()
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def apart(measure: Callable[..., list[Result]], *given: Any) -> list[Result]:
            """Measure stores of many files, which are gone afterwards."""
            with room(folder, 700_000, 3 * 2**30) as many:
                return measure(many, *given)

        tables: dict[tuple[str, ...], Callable[[Collection[str]], Any]] = {
            ("imports",): lambda _: imports(),
            ("slices",): lambda _: slices(field),
            ("picture",): lambda _: first_picture(field),
            STATISTICS: lambda rows: statistics_of(field, rows),
            nodes.WALKS: lambda rows: apart(nodes.walks, rows),
            ("run again",): lambda _: run_again(folder),
            ("scan of many chunks",): lambda _: progress(folder),
            ("remote",): lambda _: remote(folder),
            nodes.CONSOLIDATED: lambda rows: apart(nodes.consolidated, rows),
            ("growth",): lambda _: apart(growth.rows),
            nodes.CROWDS: lambda rows: apart(nodes.crowds, rows),
            ("chunks",): lambda _: values.sparse(folder),
            ("census",): lambda _: values.census_rows(folder),
            ("series",): lambda _: values.series(field),
            ("shard",): lambda _: values.shard(folder),
            ("compared",): lambda _: values.compared(folder),
            ("findings",): lambda _: values.findings(folder),
            ("stopping",): lambda _: stopping.stopping(folder),
            ("requests",): lambda _: requests(),
            ("bundle",): lambda _: bundle(),
            ("slider",): lambda _: slider(folder),
            ("million",): lambda _: million.rows(folder),
            ("lab",): lambda _: launch.rows(folder, moves.write(folder / "lab.zarr")),
        }
        chosen = [
            (table, rows)
            for names, table in tables.items()
            if (rows := [name for name in names if given.only in name])
        ]
        if not chosen:
            options.error(f"--only must be part of one of {', '.join(chain(*tables))}")
        asked = {name for _, rows in chosen for name in rows}
        if asked & {"slices", "picture", "series", *STATISTICS}:
            field = write_field(folder / "field.zarr")
        for table, rows in chosen:
            began = os.times()
            found = table(rows)
            results += found if isinstance(found, list) else [found]
            if given.output is not None:
                keep(results, given.output)  # what a later table fails at loses none of them
            taken = [after - before for before, after in zip(began, os.times(), strict=True)]
            took = f"{taken[4]:.0f} s, {sum(taken[:4]):.0f} s of the processor"
            print(f"{', '.join(rows)}: {took}", file=sys.stderr, flush=True)
    show(results)


if __name__ == "__main__":
    main()
