"""Someone clicks through a store without end: nothing grows.

Some seconds here; ``NZ_SOAK_SECONDS=3600`` makes it an hour.
"""

from __future__ import annotations

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

from tests.widget.conftest import Browser

SECONDS = float(os.environ.get("NZ_SOAK_SECONDS", "3"))
MEBIBYTE = 2**20


def use() -> dict[str, int]:
    """Return what this process has taken."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "memory": pages * os.sysconf("SC_PAGE_SIZE"),
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "objects": len(gc.get_objects()),
    }


def clicks(dice: random.Random, paths: list[str]) -> tuple[str, dict[str, Any]]:
    path = dice.choice(paths)
    index = {"time": dice.randrange(5)}
    choices: list[tuple[str, dict[str, Any]]] = [
        ("picture", {"path": path, "index": index, "width": 300, "height": 200}),
        ("picture", {"path": path, "index": index, "width": 200, "height": 300}),
        ("node", {"path": path}),
        ("children", {"path": path}),
        ("dimensions", {"path": path}),
        ("findings", {"path": path}),
        ("document", {"path": path}),
        ("netcdf", {"path": path}),
        ("code", {"path": path, "index": index}),
        ("thumbnails", {"paths": dice.sample(paths, 3), "width": 60, "height": 40}),
        ("search", {"query": dice.choice(["lat", "time", "no such"])}),
        ("reveal", {"path": path}),
        ("open", {}),
        ("retry", {"path": path}),
        ("walk", {"action": dice.choice(["cancel", "resume"])}),
    ]
    weights = [20, 20, 8, 5, 8, 8, 8, 8, 3, 5, 3, 3, 3, 1, 2]
    return dice.choices(choices, weights)[0]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has taken is read from /proc")
@pytest.mark.timeout(SECONDS + 120)
def test_clicking_without_end(browse: Callable[..., Browser], broken_store: Path) -> None:
    browser = browse(broken_store)
    paths = [node.path for node in browser.session.hierarchy.walk()]
    dice = random.Random(1)
    began = time.monotonic()
    before: dict[str, int] | None = None
    done = 0
    while (passed := time.monotonic() - began) < SECONDS:
        if before is None and passed > SECONDS / 2:  # what is cached once is cached
            before = use()
        numbers = []
        for _ in range(dice.randint(1, 4)):
            method, params = clicks(dice, paths)
            numbers.append(browser.send(method, **params))
        if dice.random() < 0.3:
            browser.session.receive({"kind": "cancel", "id": dice.choice(numbers)})
        answered = {browser.answer()[0]["id"] for _ in numbers}
        assert answered == set(numbers)
        browser.events.clear()
        browser.partials.clear()
        done += len(numbers)
    assert before is not None
    assert browser.session.wait(30)
    after = use()
    assert done > 20
    assert after["memory"] - before["memory"] < 48 * MEBIBYTE, (before, after)
    assert after["threads"] <= before["threads"] + 8, (before, after)
    assert after["files"] <= before["files"] + 4, (before, after)
    assert after["objects"] < 1.25 * before["objects"], (before, after)
