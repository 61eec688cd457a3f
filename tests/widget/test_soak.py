"""Someone clicks through a store without end: nothing grows.

Two hundred requests here; ``NZ_SOAK_SECONDS=3600`` makes it an hour.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.model import Array
from nz_explorer.widget.panels.registry import PAGES
from nz_explorer.widget.protocol import PARAMS
from tests.widget.conftest import Browser

REQUESTS = 200
SECONDS = float(os.environ.get("NZ_SOAK_SECONDS", "0"))
MEBIBYTE = 2**20


def use() -> dict[str, int]:
    """Return what this process has taken, after what is free was given back."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "memory": pages * os.sysconf("SC_PAGE_SIZE"),
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "objects": len(gc.get_objects()),
    }


def clicks(
    dice: random.Random, paths: list[str], arrays: list[str]
) -> list[tuple[int, str, dict[str, Any]]]:
    """Return what can be asked next, each with its weight."""
    path, array = dice.choice(paths), dice.choice(arrays)
    index = {"time": dice.randrange(5)}
    pins = [{"lat": dice.randrange(4), "lon": dice.randrange(4)} for _ in range(2)]
    series = {"path": array, "dimension": "time", "pins": pins, "index": index}
    return [
        (20, "picture", {"path": array, "index": index, "width": 300, "height": 200}),
        (20, "picture", {"path": array, "index": index, "width": 200, "height": 300}),
        (8, "node", {"path": path}),
        (5, "children", {"path": path}),
        (3, "rows", {"paths": dice.sample(paths, 3)}),
        (8, "findings", {"path": path}),
        (8, "document", {"path": path}),
        (8, "netcdf", {"path": path}),
        (20, "page", {"path": path, "name": dice.choice(sorted(PAGES))}),
        (3, "act", {"path": path, "name": "try safe"}),
        (3, "act", {"path": path, "name": dice.choice(["undo", "reset"])}),
        (1, "act", {"path": path, "name": "download report", "params": {"format": "json"}}),
        (3, "lines", {"path": path}),
        (1, "scan", {"path": array, "action": dice.choice(["start", "cancel", "status"])}),
        (1, "export", {"path": array, "format": dice.choice(["png", "csv", "nc"])}),
        (3, "table", {"path": path, "offset": dice.randrange(50)}),
        (3, "scatter", {"path": path, "view": {"x": "lat", "y": "lon"}}),
        (5, "series", series),
        (1, "series_file", {**series, "format": dice.choice(["csv", "nc"])}),
        (1, "animate", {"path": array, "dimension": "time", "format": "gif"}),
        (3, "locate", {"path": array, "dimension": "lat", "value": "50"}),
        (3, "complete", {"path": array, "dimension": "time", "value": "2"}),
        (5, "thumbnails", {"paths": dice.sample(arrays, 3), "width": 60, "height": 40}),
        (3, "search", {"query": dice.choice(["lat", "is:error", "dim:time", "no such"])}),
        (3, "reveal", {"path": path}),
        (3, "open", {}),
        (1, "colormaps", {}),
        (1, "set", {"traits": {"path": path}}),
        (1, "lost", {"ids": [dice.randrange(1000)]}),
        (1, "retry", {"path": path}),
        (2, "walk", {"action": dice.choice(["cancel", "resume"])}),
    ]


def some_clicks(
    dice: random.Random, paths: list[str], arrays: list[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Return one to four requests, by the weights of `clicks`."""
    choices = clicks(dice, paths, arrays)
    weights = [weight for weight, *_ in choices]
    chosen = dice.choices(choices, weights, k=dice.randint(1, 4))
    return [(method, params) for _, method, params in chosen]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has taken is read from /proc")
@pytest.mark.timeout(SECONDS + 120)
def test_clicking_without_end(browse: Callable[..., Browser], broken_store: Path) -> None:
    browser = browse(broken_store)
    nodes = list(browser.session.hierarchy.walk())
    paths = [node.path for node in nodes]
    arrays = [node.path for node in nodes if isinstance(node, Array)]
    asked: set[str] = set()
    dice = random.Random(1)

    def ask(*requests: tuple[str, dict[str, Any]]) -> None:
        asked.update(method for method, _ in requests)
        numbers = [browser.send(method, **params) for method, params in requests]
        if dice.random() < 0.3:
            browser.session.receive({"kind": "cancel", "id": dice.choice(numbers)})
        answers = [browser.answer()[0] for _ in numbers]
        assert {one["id"] for one in answers} == set(numbers)
        broken = [one for one in answers if not one["ok"] and one["error"]["code"] == "internal"]
        assert not broken
        browser.events.clear()
        browser.partials.clear()

    # What is loaded or cached once is loaded or cached now: libraries, programs that run beside.
    for path in arrays[:4]:
        for _, method, params in clicks(dice, paths, arrays):
            ask((method, params))
        for page in PAGES:
            ask(("page", {"path": path, "name": page}))
    for form in ("png", "csv", "nc"):
        ask(("export", {"path": arrays[0], "format": form}))
    assert browser.session.wait(30)
    before = use()
    done = 0
    began = time.monotonic()
    while done < REQUESTS or time.monotonic() - began < SECONDS:
        chosen = some_clicks(dice, paths, arrays)
        ask(*chosen)
        done += len(chosen)
    assert browser.session.wait(30)
    after = use()
    print(f"{done} requests")
    assert asked == set(PARAMS), "a method that nobody asks"
    assert after["memory"] - before["memory"] < 48 * MEBIBYTE, (before, after)
    assert after["threads"] <= before["threads"] + 8, (before, after)
    # Matplotlib keeps its fonts open, four for each thread that draws.
    assert after["files"] <= before["files"] + 24, (before, after)
    assert after["objects"] < 1.25 * before["objects"], (before, after)
