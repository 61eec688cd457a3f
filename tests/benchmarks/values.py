"""Values and findings: rows of ``python -m tests.benchmarks`` whose budgets are seconds, requests or bytes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Budget
from nz_explorer.model import open_store
from nz_explorer.plots import make
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.widget import protocol
from nz_explorer.widget.explorer.opening import COMPARED_UNASKED
from nz_explorer.widget.impacts import Impacts
from nz_explorer.widget.requests.findings import page
from tests.benchmarks.large import siblings, tree, write
from tests.benchmarks.results import Result, alone
from tests.network import Network, folder, serve

LATENCY = 0.05


def _taken(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    found = work()
    return found, time.perf_counter() - began


def census_rows(root: Path) -> list[Result]:
    """Take the census of 10⁶ inner chunks in 400 shards, on disk and at 50 ms a request."""
    store = root / "census.zarr"
    array = zarr.create_array(
        store, shape=(2000, 2000), chunks=(2, 2), shards=(100, 100), dtype="u1", compressors=None
    )
    array[:100, :100] = np.arange(10_000, dtype="u1").reshape(100, 100) % 7 + 1
    first = (store / "c/0/0").read_bytes()
    for y in range(20):
        (store / f"c/{y}").mkdir(exist_ok=True)
        for x in range(20):  # zarr would take minutes
            (store / f"c/{y}/{x}").write_bytes(first)
    indices = 400 * (2500 * 16 + 4)
    found, seconds = _taken(lambda: nz.census(store))
    rows = [alone(f"census of {found.total:,} chunks, local", seconds, "<= 5 s", seconds <= 5)]
    network = Network(folder(root), latency=LATENCY)
    with serve(network) as url:
        found, seconds = _taken(lambda: nz.census(f"{url}/census.zarr"))
        share = network.sent / indices
        work = f"… at 50 ms, {len(network.requests)} requests, {100 * share:.1f} % of the indices' bytes"
        holds = seconds <= 60 and share <= 1.05
        rows.append(alone(work, seconds, "<= 60 s, 105 %", holds and found.written == 1_000_000))
    return rows


def series(field: Path) -> list[Result]:
    """Read one point along 240 steps in chunks of 60 × 121 × 240: anew, and from chunks that are in memory."""
    import xarray

    cache = ChunkCache(2**30)
    store = open_store(field)
    opened = xarray.open_zarr(field, consolidated=False)
    at = iter(range(10**6))

    def ours(kept: ChunkCache | None) -> Any:
        place = {"lat": 300 + next(at) % 50, "lon": 700}
        return make(store, "/t", place, kind="line", x="time", cache=kept)

    def theirs() -> Any:
        return opened["t"].isel(lat=300 + next(at) % 50, lon=700).load()

    ours(cache)
    cold = [(_taken(lambda: ours(None))[1], _taken(theirs)[1]) for _ in range(9)]
    kept = [(_taken(lambda: ours(cache))[1], _taken(theirs)[1]) for _ in range(15)]
    look = ours(None)
    read = 0 if look.read is None else look.read.chunks_read
    rows = []
    for name, pairs, least in ((f"series, cold, {read} chunks", cold, 0.9), ("… cached", kept, 20)):
        mine, other = (statistics.median(one) for one in zip(*pairs, strict=True))
        ratio = other / mine
        budget = f">= {least:g} x"
        rows.append(Result(name, mine, "xarray isel load", other, ratio, budget, ratio >= least))
    return rows


def sparse(root: Path) -> list[Result]:
    """Draw arrays of many small chunks of which hardly one was written, on disk and where nothing can be listed."""
    rows = []
    network = Network(folder(root), latency=LATENCY)
    with serve(network) as url:
        for side, most in ((100, 0.2), (1000, 0.5), (2000, 0.5)):
            store = root / f"sparse-{side}"
            shape = (10 * side, 10 * side)
            array = zarr.create_array(
                store, shape=shape, chunks=(10, 10), dtype="f4", fill_value=0.0
            )
            for nth in range(28 if side == 2000 else 6):
                at = 10 * (nth * side // 28)
                array[at : at + 10, at : at + 10] = 1.0
            times = [_taken(lambda store=store: make(open_store(store), "/"))[1] for _ in range(3)]
            middle = statistics.median(times)
            name = f"first picture of {side * side:,} chunks, hardly one written"
            rows.append(alone(f"{name}, local", middle, f"<= {most} s", middle <= most))
            network.forget()
            _, seconds = _taken(lambda side=side: make(open_store(f"{url}/sparse-{side}"), "/"))
            asked = len(network.requests)
            holds = seconds <= 2 and asked <= 300
            work = f"… at 50 ms over HTTP, {asked} requests"
            rows.append(alone(work, seconds, "<= 2 s, 300 requests", holds))
    return rows


def shard(root: Path) -> list[Result]:
    """Draw 512 × 512 elements in the middle of a shard of 32 × 32 inner chunks."""
    array = zarr.create_array(
        root / "shard.zarr",
        shape=(2048, 2048),
        chunks=(64, 64),
        shards=(2048, 2048),
        dtype="f4",
        dimension_names=("y", "x"),
    )
    array[...] = np.random.default_rng(0).normal(size=array.shape).astype("f4")
    network = Network(folder(root), latency=LATENCY)
    with serve(network) as url:
        store = open_store(f"{url}/shard.zarr")
        network.forget()
        part = {"y": [500, 1012], "x": [500, 1012]}
        _, seconds = _taken(lambda: make(store, "/", window=part, width=600, height=600))
        asked = len(network.requests)
    work = f"512 × 512 of a shard: 81 inner chunks in {asked} requests, one of them for the index"
    return [alone(work, seconds, "<= 10 requests", asked <= 10)]


def compared(root: Path) -> list[Result]:
    """Open 2,000 consolidated nodes over HTTP as the widget does: what is compared is bounded."""
    write(root / "compared.zarr", tree(20, 99), consolidated=True)
    network = Network(folder(root), latency=LATENCY)
    with serve(network) as url:
        store = open_store(f"{url}/compared.zarr")
        evaluation = evaluate(store, budget=Budget(max_comparisons=COMPARED_UNASKED))
        _, seconds = _taken(evaluation.run)
        asked = len(network.requests)
    said = "offered" if evaluation.not_compared else "compared"
    work = f"2,000 consolidated nodes over HTTP: {asked} requests, the comparison is {said}"
    return [alone(work, seconds, "<= 500 requests", asked <= 500 and evaluation.not_compared)]


def findings(root: Path) -> list[Result]:
    """Show pages of the findings of 250 000 consolidated arrays that no document stands behind; 100 000 are told."""
    nodes = (
        (path, {**document, "attributes": {"_FillValue": "x", "units": 1, "Bad Name": 1, "é": 1}})
        for path, document in siblings(250_000)
    )
    store = write(root / "findings.zarr", nodes, consolidated=True, stored=False)
    report = nz.check(store, conventions="nz", values="none", progress=False)
    evaluation = report.evaluation
    counted, seconds = _taken(lambda: Impacts(evaluation).at("/"))
    rows = [alone(f"counts by impact, {counted.blocks:,} block", seconds, "<= 1 s", seconds <= 1)]
    evaluation.drop(["/v5000"])
    _, seconds = _taken(lambda: Impacts(evaluation).at("/"))
    rows.append(alone("… after a change at one node", seconds, "<= 0.2 s", seconds <= 0.2))
    for name, offset, order in (("first", 0, "impact"), ("last", 10**9, "rule")):
        params = protocol.FindingsParams(path="/", offset=offset, limit=50, order=order)
        found, seconds = _taken(lambda params=params: page(evaluation, params, "/"))
        work = f"{name} page of {found.total:,} findings"
        rows.append(alone(work, seconds, "<= 0.3 s", seconds <= 0.3))
    return rows
