"""What each thing that people do costs over a network: ``python -m tests.benchmarks --only requests``.

Counted by the server, for a store over HTTP, which lists nothing, and on S3: requests, how many of them wait for one
another, and bytes. Timed at several latencies, where 1 % of the requests fail and 20 MB come through in a second.
The table goes into ``docs/performance.md``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import numpy as np
import zarr
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)

import nz_explorer as nz
from nz_explorer.model import Hierarchy, open_store
from nz_explorer.plots import make
from tests.network import Network, folder, no_fault, serve, some

LATENCIES = (0.02, 0.05, 0.2)
FAULTS = 0.01
BANDWIDTH = 20e6
PAUSE = 0.2
"""Seconds without a request after which a client has sent what it sends at once."""
PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
GROUPS, ARRAYS = 10, 20


def write(store: Path) -> Path:
    """Write ten groups of twenty small arrays, a field of 240 × 360 × 720 in 4 × 72 × 180, and a sharded one."""
    root = zarr.open_group(store, mode="w", attributes={"conventions": "NZ-1.0"})
    for group in range(GROUPS):
        inside = root.create_group(f"run{group}")
        for number in range(ARRAYS):
            inside.create_array(f"v{number}", data=np.zeros(4), dimension_names=(f"x{number}",))
    field = root.create_array(
        "field",
        shape=(240, 360, 720),
        chunks=(60, 90, 180),
        dtype="f4",
        dimension_names=("time", "lat", "lon"),
    )
    rng = np.random.default_rng(0)
    for start in range(0, 240, 60):
        field[start : start + 60] = np.round(rng.normal(size=(60, 360, 720)), 1).astype("f4")
    names = ("y", "x")
    sharded = root.create_array(
        "sharded", shape=(2000, 2000), chunks=(10, 10), shards=(500, 500), dtype="u1", dimension_names=names
    )  # fmt: skip
    sharded[:1500] = 1
    zarr.consolidate_metadata(store)
    return store


@dataclass(frozen=True)
class Place:
    """Where the store is served."""

    name: str
    network: Network
    url: str
    options: dict[str, Any]

    def open(self) -> Hierarchy:
        """Open the store, which reads its root."""
        return open_store(self.url, storage_options=self.options)


@contextmanager
def over_http(root: Path) -> Iterator[Place]:
    """Serve the store over HTTP."""
    network = Network(folder(root))
    with serve(network) as url:
        yield Place("HTTP", network, f"{url}/store.zarr", {})


class _Quiet(MotoRequestHandler):
    def log(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def on_s3(root: Path) -> Iterator[Place]:
    """Serve the store by moto's S3."""
    network = Network(DomainDispatcherApplication(create_backend_app))
    secrets = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    with serve(network, _Quiet) as endpoint:
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **secrets)
        client.create_bucket(Bucket="bucket")
        for path in root.rglob("*"):
            if path.is_file():
                key = path.relative_to(root).as_posix()
                client.put_object(Bucket="bucket", Key=key, Body=path.read_bytes())
        options = {"endpoint_url": endpoint, "key": "testing", "secret": "testing"}
        yield Place("S3", network, "s3://bucket/store.zarr", options)


Step = tuple[str, Callable[[Place, Hierarchy], object]]
STEPS: list[Step] = [
    ("open, first level", lambda place, _: place.open().children("/")),
    ("expand a group", lambda _, store: store.children("/run3")),
    ("first picture", lambda _, store: make(store, "/field", {"time": 100})),
    ("series of a point, 240 steps", lambda _, store: along_time(store)),
    ("census of 40 000 chunks in 16 shards", lambda _, store: nz.census(store["/sharded"])),
    ("check of 211 nodes", lambda place, _: nz.check(place.open(), progress=False)),
]


def along_time(store: Hierarchy) -> object:
    """Read the series of one point."""
    return make(store, "/field", {"lat": 100, "lon": 300}, kind="line", x="time")


@dataclass(frozen=True)
class Cost:
    """What a step costs."""

    where: str
    step: str
    requests: int
    in_a_row: int
    sent: int
    seconds: tuple[float, ...]


def measure() -> list[Cost]:
    """Measure each step in each place."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root / "store.zarr")
        for place_of in (over_http, on_s3):
            with place_of(root) as place:
                found += [_cost(place, *step) for step in STEPS]
    return found


def _cost(place: Place, step: str, work: Callable[[Place, Hierarchy], object]) -> Cost:
    network = place.network
    store = place.open()
    network.forget()
    network.quiet = PAUSE
    work(place, store)
    counted = len(network.requests), network.round_trips, network.sent
    network.quiet = 0.0
    network.bandwidth = BANDWIDTH
    seconds = []
    for latency in LATENCIES:
        store = place.open()
        network.latency, network.fault = latency, some(FAULTS, 0, 503, "reset")
        began = time.perf_counter()
        work(place, store)
        seconds.append(time.perf_counter() - began)
        network.latency, network.fault = 0.0, no_fault
    network.bandwidth = None
    return Cost(place.name, step, *counted, tuple(seconds))


def table(costs: list[Cost]) -> str:
    """Return what was measured as a table of Markdown."""
    head = [f"at {1000 * latency:.0f} ms" for latency in LATENCIES]
    names = ["where", "what", "requests", "in a row", "bytes", *head]
    rows = [f"| {' | '.join(names)} |", f"| {' | '.join(['---', '---', *['---:'] * 6])} |"]
    for cost in costs:
        size = f"{cost.sent / 1e6:.1f} MB" if cost.sent >= 1e5 else f"{cost.sent / 1e3:.1f} kB"
        cells = [cost.where, cost.step, f"{cost.requests:,}", str(cost.in_a_row), size]
        rows.append(f"| {' | '.join([*cells, *(f'{s:.2f} s' for s in cost.seconds)])} |")
    return "\n".join(rows)


def put(name: str, content: str) -> None:
    """Put what was measured into its place in the page."""
    page = PAGE.read_text("utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    PAGE.write_text(f"{before}{begin}\n{content}\n\n{end}{after}", "utf-8")
