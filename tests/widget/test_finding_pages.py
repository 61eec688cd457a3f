"""Pages of findings: chosen without making or sorting all of them, and the same as if all were made and sorted."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nz_explorer.conventions import evaluate
from nz_explorer.diagnosis.impact import order_of
from nz_explorer.diagnosis.symptoms import symptoms
from nz_explorer.engine.configuration import Configuration
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.findings import SEVERITIES, Finding
from nz_explorer.engine.impact import IMPACTS
from nz_explorer.model import open_store
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import BadRequest
from nz_explorer.widget.requests.findings import page
from nz_explorer.widget.text import on_screen
from tests.corpus.cases import CASES, FaultyStore, contents

FAULTY = [case for case in CASES if len(case.get("expect", ())) > 1][::5]
"""A part of the corpus, of all conventions and both versions of Zarr."""
STRICT = Configuration(severity={"NZ": "info"}, per_path_ignores={"/group 1.1/*": ("NZ",)})


@functools.cache
def evaluation(version: int, declared: bool, configured: bool) -> Evaluation:
    """Return the evaluation of a store in which much is wrong: each case of the corpus is a group of it."""
    root = contents({"base": "plain" if version == 3 else "v2"})
    documents = {key: value for key, value in root.items() if "/" not in key}
    if not declared:
        documents = {key: value.replace(b"NZ-1.0", b"CF-1.8") for key, value in documents.items()}
    for number, case in enumerate(FAULTY):
        for key, value in contents(case).items():
            documents[f"group {number % 4}.{number}/{key}"] = value
    found = evaluate(
        open_store(FaultyStore(documents, [], listable=True)),
        values="none",
        configuration=STRICT if configured else None,
    )
    found.run()
    return found


def plainly(
    evaluation: Evaluation, params: protocol.FindingsParams
) -> tuple[list[Finding], list[tuple[str, str, int]], int | None]:
    """Make and sort all findings; return those of the page, the headings, and how many may cause the symptom."""
    everything = evaluation.findings(params.path, below=params.below)
    symptom = next((one for one in symptoms() if one.key == params.symptom), None)
    wanted = [one for one in everything if not params.impacts or one.impact in params.impacts]

    def kind(one: Finding) -> tuple[str, str, str]:
        return one.rule, one.severity, one.impact

    def aside(one: Finding) -> bool:
        return symptom is not None and not symptom.may_come_from(one.rule)

    gravest = {
        one.rule: min(IMPACTS.index(other.impact) for other in wanted if other.rule == one.rule)
        for one in {kind(one): one for one in wanted}.values()
    }
    first: dict[Any, int] = {}
    for one in wanted:
        first.setdefault(kind(one), len(first))

    def place(one: Finding) -> tuple[Any, ...]:
        severity = SEVERITIES.index(one.severity)
        if params.order == "node":
            return (aside(one),)
        if params.order == "rule":
            return aside(one), gravest[one.rule], one.rule, severity, first[kind(one)]
        where = order_of(one.rule, one.severity, one.impact)
        return aside(one), IMPACTS.index(one.impact), *where, first[kind(one)]

    ordered = sorted(wanted, key=place)
    headings: Counter[tuple[str, str]] = Counter()
    for one in ordered if params.order != "node" else ():
        by_rule = params.order == "rule"
        tone = IMPACTS[gravest[one.rule]] if by_rule else one.impact
        name = one.rule if by_rule else one.impact
        headings["other" if aside(one) else name, "advice" if aside(one) else tone] += 1
    causes = None if symptom is None else sum(not aside(one) for one in wanted)
    shown = ordered[params.offset : params.offset + params.limit]
    return shown, [(*heading, count) for heading, count in headings.items()], causes


PARAMS = st.builds(
    protocol.FindingsParams,
    path=st.sampled_from(["/", "/group 0.0", "/group 0.0/a", "/group 1.1/a", "/nowhere"]),
    below=st.booleans(),
    offset=st.integers(0, 60) | st.integers(0, 2000),
    limit=st.integers(1, 90),
    impacts=st.lists(st.sampled_from(IMPACTS), unique=True),
    order=st.sampled_from(["impact", "rule", "node"]),
    symptom=st.none() | st.sampled_from([one.key for one in symptoms()]),
)


@settings(max_examples=80, deadline=None)
@given(PARAMS, st.sampled_from([2, 3]), st.booleans(), st.booleans())
def test_a_page_is_what_all_findings_made_and_sorted_would_show(
    params: protocol.FindingsParams, version: int, declared: bool, configured: bool
) -> None:
    found = evaluation(version, declared, configured)
    everything = found.findings(params.path, below=params.below)
    shown, headings, causes = plainly(found, params)
    got = page(found, params, params.path)
    assert got.findings == [
        protocol.Finding(
            f.rule, f.level, f.severity, f.impact, f.path, f.pointer, on_screen(f.message)
        )
        for f in shown
    ]
    assert [(one.key, one.impact, one.count) for one in got.groups] == headings
    assert got.total == sum(not params.impacts or f.impact in params.impacts for f in everything)
    assert got.causes == causes
    counts = Counter(one.severity for one in everything)
    assert [got.counts.error, got.counts.warning, got.counts.info] == [
        counts[severity] for severity in SEVERITIES
    ]
    impacts = Counter(one.impact for one in everything)
    assert [getattr(got.impacts, impact) for impact in IMPACTS] == [
        impacts[impact] for impact in IMPACTS
    ]


def test_the_pages_of_a_list_are_the_list_and_a_change_is_seen() -> None:
    found = evaluation(3, True, False)
    params = protocol.FindingsParams("/", limit=200)
    whole = page(found, params, "/")
    assert whole.total > 100
    pages = [
        page(found, replace(params, offset=offset, limit=7), "/").findings
        for offset in range(0, len(whole.findings), 7)
    ]
    assert [one for part in pages for one in part][: len(whole.findings)] == whole.findings
    changed = found.fork(found.hierarchy)
    changed.drop(path for path in found.known_paths() if path.startswith("/group 0.0"))
    now = page(changed, params, "/")
    assert now.total == len(changed.findings()) < whole.total
    assert page(found, params, "/") == whole


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, 0)])
def test_there_is_no_such_page(offset: int, limit: int) -> None:
    with pytest.raises(BadRequest):
        page(
            evaluation(3, True, False),
            protocol.FindingsParams("/", offset=offset, limit=limit),
            "/",
        )
