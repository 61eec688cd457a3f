"""Two widgets on a store behind a bad network, used without end: ``python -m tests.benchmarks.soak 3600``.

They play, click, search, try edits, read again; every twentieth request to the server fails. Each message has to
be answered, and what the process takes must not grow once everything has been seen. Prints what was taken each minute.

What grew once was what the C library keeps free for each thread (glibc; of threads' own arenas not even `malloc_trim`
gives back the free end): every worker of a session that drew a file left some 30 MiB so, while malloc's used bytes
and Python's objects stayed flat. Files are therefore drawn in one thread: 45 minutes
took 438 MiB at half of the time and 439 at the end, with 151 000 turns and no message unanswered.
"""

from __future__ import annotations

import queue
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import zarr

from nz_explorer.lab.demo_data import write_sample
from nz_explorer.model import Array
from tests import network
from tests.widget.conftest import Browser
from tests.widget.test_soak import MEBIBYTE, some_clicks, use

FAULTS = 0.05
"""The share of requests to the server that fail."""
LOST_SECONDS = 300
"""After which a message counts as not answered."""
STEPS = 5
"""Steps that are played at once, as many as the demo data have."""


def turn(browser: Browser, dice: random.Random, paths: list[str], arrays: list[str]) -> list[str]:
    """Ask for some things at once, withdraw one of them now and then, and wait for all answers; return the errors."""
    asked: dict[int, str] = {}
    if dice.random() < 0.3:  # play
        array = dice.choice(arrays)
        wanted: list[tuple[str, dict[str, Any]]] = [
            ("picture", {"path": array, "index": {"time": step}, "width": 300, "height": 200})
            for step in range(STEPS)
        ]
    else:
        wanted = some_clicks(dice, paths, arrays)
    for method, params in wanted:
        asked[browser.send(method, **params)] = method
    if dice.random() < 0.3:
        browser.session.receive({"kind": "cancel", "id": dice.choice(list(asked))})
    errors = []
    began = time.monotonic()
    while asked:
        try:
            answer, _ = browser.answer()
        except queue.Empty:
            # on a busy machine a film may take long; what is lost never comes
            if time.monotonic() - began > LOST_SECONDS:
                raise SystemExit(f"not answered: {asked}") from None
            continue
        del asked[answer["id"]]
        if not answer["ok"]:
            errors.append(answer["error"]["code"])
    browser.events.clear()
    browser.partials.clear()
    return errors


def soak(seconds: float) -> bool:
    """Use two widgets for some time; return whether nothing has grown and nothing failed inside."""
    with tempfile.TemporaryDirectory() as name:
        store = write_sample(Path(name) / "sample.zarr")
        zarr.consolidate_metadata(store)
        faulty = network.Network(
            network.folder(Path(name)), fault=network.some(FAULTS, 0, 503, "reset", "truncate")
        )
        with network.serve(faulty) as url:
            return _use(f"{url}/{store.name}", seconds, faulty)


def _use(url: str, seconds: float, faulty: network.Network) -> bool:
    browsers = [Browser(url), Browser(url)]
    dice, errors = random.Random(1), Counter[str]()
    nodes = list(browsers[0].session.hierarchy.walk())
    paths = [node.path for node in nodes]
    arrays = [node.path for node in nodes if isinstance(node, Array)]
    for browser in browsers:
        browser.session.start()
    began = told = time.monotonic()
    before: dict[str, int] | None = None
    turns = 0
    while (now := time.monotonic()) - began < seconds:
        if before is None and now - began > seconds / 2:
            before = use()
        errors.update(turn(dice.choice(browsers), dice, paths, arrays))
        turns += 1
        if now - told > 60:
            told = now
            taken = use()
            print(
                f"{now - began:5.0f} s  {turns} turns  {taken['memory'] / MEBIBYTE:.0f} MiB  {taken}"
            )
        faulty.forget()
    after = use()
    for browser in browsers:
        browser.session.close()
    print(f"{turns} turns; errors that were answered: {dict(errors)}; {before} → {after}")
    return (
        before is not None
        and not errors["internal"]
        and after["memory"] - before["memory"] < 48 * MEBIBYTE
        and after["threads"] <= before["threads"] + 8
        and after["files"] <= before["files"] + 8
    )


if __name__ == "__main__":
    sys.exit(not soak(float(sys.argv[1]) if len(sys.argv) > 1 else 3600))
