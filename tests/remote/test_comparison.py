"""Comparing consolidated metadata with stored documents: as many requests as nodes, so that it can be declined."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Budget, Evaluation
from nz_explorer.model import open_store
from nz_explorer.store import Cancellation
from nz_explorer.widget.explorer import opening
from nz_explorer.widget.panels.registry import Context, compose, perform
from tests.conftest import HttpServer
from tests.hostile.cases import ARRAY

Serve = Callable[..., HttpServer]
NODES = 12


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A consolidated store of which one document was changed afterwards."""
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"conventions": "NZ-1.0"}}
    arrays = {f"a{number}": ARRAY for number in range(NODES)}
    held = {"kind": "inline", "must_understand": False, "metadata": arrays}
    stored = {**arrays, "a7": {**ARRAY, "attributes": {"units": "K"}}}
    for path, document in {**stored, "": {**group, "consolidated_metadata": held}}.items():
        (tmp_path / path).mkdir(exist_ok=True)
        (tmp_path / path / "zarr.json").write_text(json.dumps(document), "utf-8")
    return tmp_path


def stale_nodes(evaluation: Evaluation) -> list[str]:
    return [f.path for f in evaluation.findings() if f.rule == "NZ-CONS-002"]


def reasons(evaluation: Evaluation) -> dict[str, str]:
    return {one.rule: one.reason for one in evaluation.not_evaluated()}


def test_many_entries_are_compared_only_when_asked(stale: Path, http_server: Serve) -> None:
    served = http_server(stale)
    budget = Budget(max_comparisons=NODES - 1)
    evaluation = evaluate(open_store(served.url), values="none", budget=budget)
    evaluation.run()
    assert not any(request.startswith("GET /a") for request in served.network.requests)
    assert evaluation.complete
    assert evaluation.not_compared
    assert reasons(evaluation)["NZ-CONS-002"] == "not compared"
    assert evaluation.conforms["NZ-1.0"] is not True
    assert stale_nodes(evaluation) == []

    evaluation.compare()
    assert not evaluation.complete
    evaluation.run()
    assert len(served.network.requests) > NODES
    assert stale_nodes(evaluation) == ["/a7"]
    assert "not compared" not in reasons(evaluation).values()


@pytest.mark.parametrize("most", [NODES + 1, None])
def test_as_many_as_the_budget_allows_are_compared(
    stale: Path, http_server: Serve, most: int | None
) -> None:
    url = http_server(stale).url
    evaluation = evaluate(open_store(url), values="none", budget=Budget(max_comparisons=most))
    evaluation.run()
    assert stale_nodes(evaluation) == ["/a7"]
    assert not evaluation.not_compared


def test_a_local_store_is_always_compared(stale: Path) -> None:
    evaluation = evaluate(open_store(stale), values="none", budget=Budget(max_comparisons=0))
    evaluation.run()
    assert stale_nodes(evaluation) == ["/a7"]


def test_the_explorer_asks_before_it_compares_many(
    stale: Path, http_server: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "COMPARED_UNASKED", NODES - 1)
    served = http_server(stale)
    ex = nz.explore(served.url)
    session = ex._session
    try:
        assert session.wait(30)
        assert "not compared" in session.summary().progress.message
        assert len(served.network.requests) < NODES
        context = Context(session, "/", {"below": True}, Cancellation())
        shown = str(compose("open questions", context).blocks)
        assert "were not compared with the stored documents" in shown
        assert stale_nodes(session.base) == []

        perform("compare", context)
        assert session.wait(30)
        assert stale_nodes(session.base) == ["/a7"]
        assert "not compared" not in session.summary().progress.message
        assert "were not compared" not in str(compose("open questions", context).blocks)
    finally:
        ex.close()
