"""Values of many coordinates over a network: read at once, and found as if they were read one by one."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore, WrapperStore

from nz_explorer.conventions import evaluate
from nz_explorer.engine.coordinate_reader import ByteBudget
from nz_explorer.engine.evaluation import Budget, Evaluation, has_value_rules, schedule
from nz_explorer.model import Array, open_store
from nz_explorer.store import Cancellation
from nz_explorer.values.window import read_window
from tests.conftest import S3, HttpServer
from tests.remote.test_round_trips import PAUSE, slow

Serve = Callable[..., HttpServer]
GROUPS = 12
SIZES = {3: (200, 20), 5: (40, 10)}
"""Lengths of the coordinates, and of their chunks, that have more than one."""
NEED = 6 * 8
"""Bytes of one of the others."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Groups with a coordinate and a scalar each; two coordinates are none. Read only."""
    folder = tmp_path_factory.mktemp("coordinates") / "store.zarr"
    root = zarr.open_group(folder, mode="w")
    for number in range(GROUPS):
        length, chunk = SIZES.get(number, (6, 6))
        group = root.create_group(f"g{number:02d}")
        x = group.create_array(
            "x", shape=(length,), chunks=(chunk,), dtype="f8", dimension_names=("x",)
        )
        x[:] = np.arange(length)
        if number in (5, 7):
            x[3] = 1
        group.create_array("s", shape=(), dtype="f8")[...] = 1
    with pytest.warns(UserWarning, match="Consolidated"):
        zarr.consolidate_metadata(folder)
    return folder


def paths(evaluation: Evaluation) -> list[str]:
    nodes = sorted(evaluation.hierarchy.stored.walk(), key=lambda node: node.path)
    return [n.path for n in nodes if isinstance(n, Array) and has_value_rules(n)]


def outcome(evaluation: Evaluation) -> tuple[Any, ...]:
    """Return all that can be told apart of two evaluations."""
    found = [(path, evaluation.monotonicity(path)) for path in paths(evaluation)]
    return found, evaluation.findings(), evaluation.not_evaluated(), evaluation.counts()


# --- round trips --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["HTTP", "S3"])
def test_values_of_many_coordinates_take_one_round_trip(
    store: Path, http_server: Serve, s3: S3, kind: str
) -> None:
    if kind == "HTTP":
        served = http_server(store, quiet=PAUSE)
        network, hierarchy = served.network, open_store(served.url)
    else:
        url = s3.upload(store, prefix="coordinates.zarr")
        network, hierarchy = slow(s3.network), open_store(url, storage_options=s3.options)
    counted = []

    def progress(what: str, done: int, total: int | None) -> None:
        if what == "coordinates" and done == 0:
            network.forget()
            network.quiet = 4 * PAUSE  # so many threads take a moment to get going
        elif what == "coordinates" and done == total:
            counted.append(network.round_trips)

    evaluation = evaluate(hierarchy)
    evaluation.run(progress=progress)
    assert evaluation.complete
    assert counted[0] == 1
    assert {path for path in network.repeated if "/c" in path} == set()


def test_chunks_of_one_coordinate_are_asked_for_side_by_side(
    store: Path, http_server: Serve
) -> None:
    served = http_server(store, quiet=PAUSE)
    evaluation = evaluate(hierarchy := open_store(served.url))
    array = hierarchy["/g03/x"]
    assert isinstance(array, Array)
    served.network.forget()
    found = evaluation.value_rules(array)
    assert found is not None
    assert found.result == "increasing"
    assert len(served.network.requests) == 20
    assert served.network.round_trips == 2


# --- the same whatever comes first --------------------------------------------------------------


def shuffled(folder: Path, seed: int) -> Any:
    """Return a store that answers in an order of its own."""
    dice = random.Random(seed)

    class Shuffled(WrapperStore[Any]):
        async def _wait(self) -> None:
            for _ in range(dice.randrange(60)):
                await asyncio.sleep(0)

        async def get(self, *arguments: Any, **options: Any) -> Any:
            await self._wait()
            return await self._store.get(*arguments, **options)

        async def exists(self, key: str) -> bool:
            await self._wait()
            return bool(await self._store.exists(key))

    return Shuffled(LocalStore(folder, read_only=True))


def one_by_one(hierarchy: Any, budget: Budget) -> Evaluation:
    evaluation = evaluate(hierarchy, budget=budget)
    schedule.visit(evaluation, None, lambda *_: None, keep=True)
    for path in paths(evaluation):
        evaluation.value_rules(evaluation.node(path))  # type: ignore[arg-type]
    schedule.list_arrays(evaluation, None, lambda *_: None)
    evaluation.complete = True
    return evaluation


EXACT = 3 * NEED + 200 * 8 + NEED


@pytest.mark.parametrize(
    "most", [None, 0, 1, NEED, NEED + 1, 4 * NEED, EXACT - 1, EXACT, EXACT + 400, 1_000_000]
)
def test_what_is_found_is_what_is_found_one_by_one(store: Path, most: int | None) -> None:
    budget = Budget(max_bytes=most)
    expected = outcome(one_by_one(open_store(shuffled(store, 0)), budget))
    for seed in range(3):
        hierarchy = open_store(shuffled(store, seed))
        assert not hierarchy.reader.local
        evaluation = evaluate(hierarchy, budget=budget)
        evaluation.run()
        assert outcome(evaluation) == expected
    read = sum(found.bytes_read for _, found in expected[0] if found is not None)
    assert most is None or read <= most


def test_one_that_cannot_be_read_is_a_state_of_that_one(store: Path, http_server: Serve) -> None:
    served = http_server(store)
    served.network.fault = lambda path: 403 if "/g04/x/c" in path else None
    evaluation = evaluate(open_store(served.url))
    evaluation.run()
    found = {p: m.result for p in paths(evaluation) if (m := evaluation.monotonicity(p))}
    good = {f"/g{number:02d}/x" for number in range(GROUPS) if number not in (4, 5, 7)}
    assert {path for path, result in found.items() if result == "increasing"} == good
    assert found["/g04/x"] == "unreadable"
    assert found["/g05/x"] == found["/g07/x"] == "not"


def test_they_can_be_cancelled_and_read_again(store: Path, http_server: Serve) -> None:
    served = http_server(store)
    waiting = threading.Event()

    def fault(path: str) -> Any:
        if "/x/c/" not in path or "/g00/" in path:
            return None
        waiting.set()
        return "hang"

    served.network.fault = fault
    evaluation, cancel = evaluate(open_store(served.url)), Cancellation()
    before = evaluation.byte_budget.left
    thread = threading.Thread(target=evaluation.run, args=(cancel,))
    thread.start()
    assert waiting.wait(20)
    cancel.cancel()
    thread.join(20)
    assert not thread.is_alive()
    assert not evaluation.complete
    assert evaluation.monotonicity("/g11/x") is None
    served.network.fault = lambda _: None
    evaluation.run()
    assert evaluation.complete
    read = [m.bytes_read for p in paths(evaluation) if (m := evaluation.monotonicity(p))]
    assert len(read) == GROUPS
    assert before - evaluation.byte_budget.left == sum(read)


# --- the budget ---------------------------------------------------------------------------------


def test_bytes_are_set_aside_before_they_are_read() -> None:
    byte_budget = ByteBudget(100)
    assert byte_budget.reserve(60) == 60
    granted: list[int] = []
    second = threading.Thread(target=lambda: granted.append(byte_budget.reserve(60)))
    second.start()
    assert byte_budget.reserve(40) == 40  # which is there
    assert granted == []
    byte_budget.settle(60, 10)
    second.join(0.05)
    assert second.is_alive()  # 50 are left
    byte_budget.settle(40, 10)
    second.join(20)
    assert granted == [60]
    byte_budget.settle(60, 60)
    assert byte_budget.reserve(60) == 20  # nobody gives anything back any more
    byte_budget.settle(20, 20)
    assert byte_budget.reserve(0) == -1
    assert byte_budget.copy().left == 0


def test_hardly_any_of_many_chunks_that_cannot_be_listed_are_asked_for(
    tmp_path: Path, http_server: Serve
) -> None:
    array = zarr.create_array(tmp_path / "a", shape=(200, 200), chunks=(4, 4), dtype="f4")
    array[100:104, 48:52] = 1
    served = http_server(tmp_path)
    hierarchy = open_store(f"{served.url}/a")
    window = read_window(hierarchy.root, (0, 1), {}, (200, 200))
    assert len(served.network.requests) < 300
    assert "hardly one is there" in window.facts.note
    everything = read_window(hierarchy.root, (0, 1), {}, (200, 200), budget=None)
    assert everything.facts.chunks_read == 2_500
