"""How time and memory grow with a store: ``python -m tests.benchmarks --only growth``.

Each size is measured in a process of its own: processor time, and the peak of memory above what the process had after
the same work on a tiny store. The curves go into ``docs/growth.svg`` on logarithmic axes, with a straight line beside
them: what grows as the store does is parallel to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from tests.benchmarks.far import put
from tests.benchmarks.large import Cost, Json, chain, costs, siblings, tree, write
from tests.benchmarks.results import Result

PICTURE = Path(__file__).parents[2] / "docs" / "growth.svg"
STEEPEST = 1.15
"""The slope of a curve up to which it counts as a straight line; a sort has 1.1 or so."""
STEEPEST_OF = {"depth": 1.5}
"""Where it cannot be straight: paths are as long as the depth."""
LEAST_MIB = 0.1


def _attributes(number: int) -> Iterator[tuple[str, Json]]:
    (path, document), *_ = siblings(1)
    extra = {f"note_{i}": f"what was seen at {i}" for i in range(number)}
    yield path, {**document, "attributes": {**document["attributes"], **extra}}


def _findings(number: int) -> Iterator[tuple[str, Json]]:
    """Yield arrays with ten findings or so each."""
    bad = {"_FillValue": "x", "units": 1, **{f"Bad Name {i}": 1 for i in range(8)}}
    for path, document in siblings(number // 10):
        yield path, {**document, "attributes": bad}


def _chunks(folder: Path, number: int) -> Path:
    """Write an array of so many chunks, each a link to the same file (a file system allows 65 000 or fewer)."""
    ((_, document),) = siblings(1)
    grid = {"name": "regular", "configuration": {"chunk_shape": [4]}}
    about = {
        "shape": [4 * number],
        "chunk_grid": grid,
        "dimension_names": ["x"],
        "data_type": "uint8",
    }
    codecs = [{"name": "bytes"}]
    write(folder, iter([("a", {**document, **about, "codecs": codecs, "fill_value": 0})]))
    (folder / "a" / "c").mkdir()
    for nth in range(number):
        chunk = folder / "a" / "c" / str(nth)
        if nth % 10_000 == 0:
            first = chunk
            first.write_bytes(b"\x01\x02\x03\x04")
        else:
            os.link(first, chunk)
    return folder


def _consolidated(
    nodes: Callable[[int], Iterator[tuple[str, Json]]],
) -> Callable[[Path, int], Path]:
    return lambda folder, size: write(folder, nodes(size), consolidated=True, stored=False)


DECADES = (300, 3000, 30_000)
AXES: dict[str, tuple[str, Callable[[Path, int], Path], tuple[int, ...]]] = {
    "nodes": ("check", lambda folder, n: write(folder, tree(n // 100, 99)), DECADES),
    "siblings": ("check consolidated", _consolidated(siblings), DECADES),
    "depth": ("check", lambda folder, n: write(folder, chain(n, 20)), (2, 20, 60, 200)),
    "chunks": ("census", _chunks, DECADES),
    "attributes": ("check consolidated", _consolidated(_attributes), DECADES),
    "findings": ("check consolidated", _consolidated(_findings), DECADES),
}
"""What grows → what is done, how a store of a size is written, and the sizes."""


@dataclass(frozen=True)
class Curve:
    """What some sizes cost."""

    name: str
    work: str
    sizes: tuple[int, ...]
    costs: tuple[Cost, ...]

    @property
    def memory(self) -> list[float]:
        """Peaks above what the process had before, in MiB."""
        return [max(cost.mib - cost.idle, LEAST_MIB) for cost in self.costs]

    @property
    def slope(self) -> float:
        """The exponent of the last step's growth of time."""
        before, last = (cost.seconds for cost in self.costs[-2:])
        return log(last / before) / log(self.sizes[-1] / self.sizes[-2])

    @property
    def memory_slope(self) -> float:
        """The exponent of the last step's growth of memory."""
        before, last = self.memory[-2:]
        return log(last / before) / log(self.sizes[-1] / self.sizes[-2])


def measure(folder: Path) -> list[Curve]:
    """Measure each size of everything that grows."""
    found = []
    for name, (work, make, sizes) in AXES.items():
        stores = [make(folder / f"{name}-{size}", size) for size in sizes]
        found.append(
            Curve(name, work, sizes, tuple(costs(one, work, rounds=1)[0] for one in stores))
        )
    return found


def draw(curves: list[Curve]) -> None:
    """Draw the curves beside straight lines."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    for axes, title, values in zip(
        figure.subplots(1, 2),
        ("processor time (s)", "memory above the start (MiB)"),
        ([[c.seconds for c in curve.costs] for curve in curves], [c.memory for c in curves]),
        strict=True,
    ):
        for curve, marker, measured in zip(curves, "os^Dvx", values, strict=True):
            axes.loglog(curve.sizes, measured, marker=marker, markersize=4, label=curve.name)
        low = min(map(min, values))
        axes.loglog([1e2, 1e5], [low, low * 1e3], "--", color="grey", label="slope 1")
        axes.set(xlabel="how many", title=title)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].legend(frameon=False, fontsize="small")
    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "path"}):
        figure.savefig(PICTURE, metadata={"Date": None})


def table(curves: list[Curve]) -> str:
    """Return the slopes and the largest sizes as a table of Markdown."""
    rows = [
        "| what grows | work | largest | time | slope | memory | slope |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows += [
        f"| {c.name} | {c.work} | {c.sizes[-1]:,} | {c.costs[-1].seconds:.2f} s | {c.slope:.2f} "
        f"| {c.memory[-1]:.0f} MiB | {c.memory_slope:.2f} |"
        for c in curves
    ]
    return "\n".join(rows)


def rows(folder: Path) -> list[Result]:
    """Measure, put the plot and the table into the documentation, and tell the slopes."""
    curves = measure(folder)
    draw(curves)
    put("growth", table(curves))
    found = []
    for curve in curves:
        size = f"{curve.sizes[-1]:,} {curve.name}"
        name = f"{curve.work}, {size}: grows with the power {curve.slope:.2f} (CPU)"
        seconds, holds = (
            curve.costs[-1].seconds,
            curve.slope <= (most := STEEPEST_OF.get(curve.name, STEEPEST)),
        )
        found.append(Result(name, seconds, "-", None, None, f"<= {most}", holds))
    return found
