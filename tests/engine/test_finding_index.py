"""What is counted of findings without making them is what the findings have."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.conventions import evaluate
from nz_explorer.conventions import registry as conventions
from nz_explorer.diagnosis.impact import harms, is_step
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.evaluation.finding_index import FindingIndex
from nz_explorer.lab.demo_data.broken import write_broken
from nz_explorer.model import open_store


def test_counts_below_each_node_and_samples(tmp_path: Path) -> None:
    evaluation = evaluate(open_store(write_broken(tmp_path / "broken.zarr")))
    evaluation.run()
    index, samples = evaluation.finding_index()
    for path in ("/", "/nothing", *evaluation.known_paths()):
        found = Counter((f.rule, f.severity, f.impact) for f in evaluation.findings(path))
        assert Counter(index.counts_below(path)) == found, path
    findings = evaluation.findings("/")
    assert list(dict.fromkeys(one for f in samples for one in harms(f))) == list(
        dict.fromkeys(one for f in findings for one in harms(f))
    )
    steps, all_steps = (
        {f.rule for f in some if is_step(f, zarr_format=3)} for some in (samples, findings)
    )
    assert steps == all_steps


def _shown(evaluation: Evaluation, path: str) -> list[Any]:
    """Return everything that an index is asked for at a node and below it."""

    def each_kind(counts: Iterable[Any]) -> list[list[Any]]:
        return [[kind] for kind in counts]

    seen: list[Any] = [f.to_dict() for f in evaluation.page(path, True, each_kind, 0, 10**6)]
    counts, samples = evaluation.finding_index()
    seen += [list(counts.counts.items()), [sample.to_dict() for sample in samples]]
    seen += [counts.counts_below(path)]
    return seen


def test_an_index_after_changes_is_one_that_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever has changed, at the root and at other nodes; also in a copy."""
    store = write_broken(tmp_path / "broken.zarr")
    given = {path: path.read_bytes() for path in sorted(store.rglob("zarr.json"))}
    hierarchy = open_store(store, consolidated=False)
    evaluation = evaluate(hierarchy, list(conventions().askable))
    evaluation.run()
    rng = random.Random(0)
    taken: list[int] = []
    after = FindingIndex.after
    monkeypatch.setattr(FindingIndex, "after", lambda *a: taken.append(1) or after(*a))
    for step in range(24):
        path = rng.choice(list(given))
        attributes = rng.sample(sorted({"_FillValue": "x", "units": 1, "Bad Name": 1}.items()), 2)
        try:
            edited = {**json.loads(given[path]), "attributes": dict(attributes)}
        except ValueError:
            edited = {"zarr_format": 3, "node_type": "group", "attributes": dict(attributes)}
        text = json.dumps(edited).encode() if step % 4 else given[path]
        path.write_bytes(text)
        name = path.parent.relative_to(store).as_posix()
        node = "/" if name == "." else f"/{name}"
        hierarchy.reader.renew()
        hierarchy.reread(node)
        if (now := hierarchy.node_if_loaded(node)) is not None:
            evaluation.add_again(now, values=True)
            if step % 3 and now.kind == "group":
                evaluation.group_complete(now)  # type: ignore[arg-type]
        seen = _shown(evaluation, "/")
        evaluation._reader._known = evaluation._records.changed = None
        assert seen == _shown(evaluation, "/"), (step, path)
        if step % 6 == 5:
            assert _shown(evaluation.fork(hierarchy), "/") == seen
    assert len(taken) > 12


def test_nothing_is_left_after_the_last_finding_is_mended(tmp_path: Path) -> None:
    root = tmp_path / "zarr.json"
    group: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    root.write_text(json.dumps(group))
    hierarchy = open_store(tmp_path)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    before = evaluation.finding_index()[0]
    assert before.counts
    root.write_text(json.dumps({**group, "attributes": {"conventions": "NZ-1.0"}}))
    hierarchy.reader.renew()
    hierarchy.reread("/")
    evaluation.add_again(hierarchy.root, values=True)
    evaluation.group_complete(hierarchy.root)
    index = before.after({"/"}, None)
    assert (index.counts, index.counts_below("/"), index.samples) == ({}, {}, [])
