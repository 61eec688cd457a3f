"""Stores of very many nodes: opened, walked and checked beside zarr's `members`, which only lists.

The ratios of what is not consolidated are those of two free cores: with one, zarr's threads do not hinder each other, and it
takes half the processor time. See ``docs/performance.md``.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from tests.benchmarks.large import Cost, costs, siblings, tree, write
from tests.benchmarks.results import ROUNDS, Result

REFERENCE = "zarr members"
WALKS = ("walks alike", "walks folders", "walks unlike")
CONSOLIDATED = (
    "consolidated first level",
    "consolidated rules",
    "consolidated unlike",
    "consolidated and stored",
    "consolidated, stored and folders",
)
CROWDS = ("crowd consolidated", "crowd in groups", "crowd stored")
"""The rows of each table here; each can be measured alone."""


def against_zarr(
    work: str, mine: Cost, zarr: Cost, least: float, most: float | None = None
) -> list[Result]:
    """Compare with `zarr members`, which only lists; and the peak of memory with a limit, if there is one."""
    reference = "zarr members, which only lists"
    ratio = zarr.seconds / mine.seconds
    results = [
        Result(
            f"{work} (CPU, load {os.getloadavg()[0]:.0f})",
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


def _in_turns(
    store: Path, rows: Collection[str], *works: tuple[str, str], rounds: int
) -> tuple[dict[str, Cost], Cost]:
    """Measure the work of the rows that are wanted, and that of zarr beside it."""
    wanted = [(row, work) for row, work in works if row in rows]
    *mine, theirs = costs(store, *(work for _, work in wanted), REFERENCE, rounds=rounds)
    return {row: cost for (row, _), cost in zip(wanted, mine, strict=True)}, theirs


def walks(folder: Path, rows: Collection[str]) -> list[Result]:
    """Walk 10 200 nodes that are not consolidated, with every metadata rule; then with the folders of arrays.

    Most stores repeat themselves; the last row is one in which no two documents are equal.
    """
    alike, folders, unlike = WALKS
    results = []
    if {alike, folders} & {*rows}:
        store = write(folder / "alike.zarr", tree(200, 50, alike=True))
        works = ((alike, "check metadata"), (folders, "check"))
        found, theirs = _in_turns(store, rows, *works, rounds=ROUNDS)
        if alike in found:
            name = "walk and metadata rules, 10 200 nodes"
            results += against_zarr(name, found[alike], theirs, 15)
        if folders in found:
            results += against_zarr("… and the folders of all arrays", found[folders], theirs, 1)
    if unlike in rows:
        store = write(folder / "unlike.zarr", tree(200, 50))
        found, theirs = _in_turns(store, rows, (unlike, "check metadata"), rounds=ROUNDS)
        name = "… the first, if no two documents are equal"
        results += against_zarr(name, found[unlike], theirs, 10)
    return results


def consolidated(folder: Path, rows: Collection[str]) -> list[Result]:
    """Open 101 000 consolidated nodes; check them; check them against the stored documents; list all folders, too."""
    first, rules, unlike, stored, folders = CONSOLIDATED
    results = []
    if {first, rules, stored, folders} & {*rows}:
        store = write(
            folder / "many.zarr",
            tree(1000, 100, alike=True),
            consolidated=True,
            stored=not {stored, folders}.isdisjoint(rows),
        )
        works = (
            (first, "first level"),
            (rules, "check consolidated"),
            (stored, "check metadata"),
            (folders, "check"),
        )
        found, theirs = _in_turns(store, rows, *works, rounds=3)
        budgets = {
            first: ("open 101 000 consolidated nodes", 40, None),
            rules: ("… rules on all of them", 8, 300),
            stored: ("… and on all stored documents", 4, None),
            folders: ("… and the folders of all arrays", 1, None),
        }
        for row, cost in found.items():
            name, least, most = budgets[row]
            results += against_zarr(name, cost, theirs, least, most)
    if unlike in rows:
        nodes = tree(1000, 100)
        store = write(folder / "unlike many.zarr", nodes, consolidated=True, stored=False)
        found, theirs = _in_turns(store, rows, (unlike, "check consolidated"), rounds=3)
        results += against_zarr("… if no two documents are equal", found[unlike], theirs, 5)
    return results


def crowds(folder: Path, rows: Collection[str]) -> list[Result]:
    """Check 300 000 nodes, in one group and in many: how long it takes at most, and that a node costs what it does among few."""
    in_one, in_groups, stored = CROWDS
    number = 300_000
    results = []
    for row, work, seconds, most in (
        (in_one, "check consolidated", 15, 700),
        (in_groups, "check consolidated", 15, 700),
        (stored, "check metadata", 25, None),
    ):
        if row not in rows:
            continue
        held = row != stored
        few = write(folder / f"few {row}", siblings(1000), consolidated=held, stored=not held)
        nodes = tree(number // 100, 99) if row == in_groups else siblings(number)
        many = write(folder / f"many {row}", nodes, consolidated=held, stored=not held)
        (usual,), (cost,) = costs(few, work, rounds=5), costs(many, work, rounds=1)
        name = f"{row}: {work}, {number:,} nodes (CPU)"
        holds = cost.seconds <= seconds
        results.append(Result(name, cost.seconds, "-", None, None, f"<= {seconds} s", holds))
        if most is not None:
            name, holds = f"… peak memory {cost.mib:.0f} MiB", cost.mib <= most
            results.append(Result(name, cost.seconds, "-", None, None, f"<= {most} MiB", holds))
        if row != in_groups:
            ours, theirs = cost.seconds / number, usual.seconds / 1000
            name, ratio = "… a node of these", theirs / ours
            results.append(
                Result(name, ours, "one of 1 000", theirs, ratio, ">= 0.67 x", ratio >= 1 / 1.5)
            )
    return results
