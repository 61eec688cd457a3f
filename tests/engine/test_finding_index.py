"""What is counted of findings without making them is what the findings have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from nz_explorer.conventions import evaluate
from nz_explorer.diagnosis.impact import harms, is_step
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
