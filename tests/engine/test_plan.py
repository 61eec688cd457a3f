"""How the rules of one kind of node are run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.conventions import evaluate, registry
from nz_explorer.documents import Document
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.plan import MAX_FAILURES, Plan, RuleResults
from nz_explorer.engine.registry import RuleFunction
from nz_explorer.model import Node, open_store
from tests.corpus.cases import FaultyStore, write
from tests.engine import made
from tests.engine.conftest import Replace

V3 = made.V3


@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_failures_of_a_rule_on_a_node_are_listed_up_to_a_limit(tmp_path: Path, more: int) -> None:
    strays = {f"s{number:05}.txt": b"" for number in range(MAX_FAILURES + more)}
    evaluation = evaluate(
        open_store(write({**V3, **strays, "a/s.txt": b""}, tmp_path)), select=["TREE-006"]
    )
    evaluation.run()
    found = [f for f in evaluation.findings() if f.rule == "TREE-006" and f.path == "/"]
    messages = [f.message for f in found]
    listed = min(len(strays), MAX_FAILURES)
    assert messages[:listed] == [
        f"{name} is not part of the hierarchy" for name in sorted(strays)[:listed]
    ]
    assert messages[listed:] == {
        1: ["1 more finding of this rule on this node is not listed"],
        2: ["2 more findings of this rule on this node are not listed"],
    }.get(more, [])
    assert {f.severity for f in found} == {found[0].severity}
    # Each node has a limit of its own.
    assert [f.message for f in evaluation.findings("/a") if f.rule == "TREE-006"] == [
        "a/s.txt is not part of the hierarchy"
    ]


def test_an_error_after_many_notes_counts(replace_rule: Replace) -> None:
    def many(_node: Node) -> Iterator[Fail]:
        for number in range(MAX_FAILURES + 3):
            yield Fail("", f"note {number}", severity="info")
        yield Fail("", "error")

    replace_rule("NZ-DIM-004", many)
    plan = Plan(registry(), ["node", "array"], 3, frozenset({"NZ-DIM-004"}))
    judged = plan.run_node(open_store(FaultyStore(V3, [], listable=True))["/a"])
    assert judged.counts == (1, 0, MAX_FAILURES + 1)
    assert [violation.fail.message for violation in judged.violations[-2:]] == [
        "error",
        "3 more findings of this rule on this node are not listed",
    ]


# --- rules that are made for it -------------------------------------------------------------------


def judged(
    *functions: RuleFunction,
    documents: dict[str, bytes] = made.V3,
    path: str = "/a",
    unwanted: tuple[str, ...] = (),
    **given: Any,
) -> RuleResults:
    """Return what rules say of a node, the second time that it is asked."""
    found = made.registry(*functions, **given)
    node = made.hierarchy(documents)[path]
    wanted = frozenset(found.rules) - {*unwanted}
    subjects = ["document", "node", "array", "group", *(["root"] if path == "/" else [])]
    plan = Plan(found, subjects, node.zarr_format, wanted)  # type: ignore[arg-type]
    first = plan.run_node(node)
    assert plan.run_node(node) == first
    return first


def said(results: RuleResults) -> list[tuple[str, str]]:
    """Return rules and severities of what was found."""
    return [(violation.rule.id, violation.severity) for violation in results.violations]


def test_what_passes_fails_does_not_apply_and_is_not_known() -> None:
    results = judged(
        made.function("T-1", check=made.PASSES),
        made.function("T-2"),
        made.function("T-3", when=lambda _: False),
        made.function("T-4", check=made.says(Undecided("listing"))),
        made.function("T-5", when=lambda node: node.path == "/a"),
        made.function("T-6", formats=(2,)),
    )
    assert results.rules == ("T-1", "T-2", "T-3", "T-4", "T-5")
    assert said(results) == [("T-2", "error"), ("T-5", "error")]
    assert results.undecided == (("T-4", "listing"),)
    assert results.absent == ("T-3",)
    assert results.counts == (2, 0, 0)
    assert results.local
    assert not results.clean


@pytest.mark.parametrize(
    ("check", "clean", "local"),
    [
        (made.PASSES, True, True),
        (made.FAILS, False, True),
        (made.says(Undecided("listing")), False, True),
        (made.says(Fail("", "a"), Fail("", "b", path="/x")), False, False),
    ],
)
def test_whether_all_is_well_and_where_it_is_not(check: Any, clean: bool, local: bool) -> None:
    results = judged(made.function("T-1", check=check))
    assert (results.clean, results.local) == (clean, local)


def test_of_a_node_that_breaks_nothing_it_is_said_what_does_not_apply() -> None:
    functions = [
        made.function(f"T-{i}", check=made.PASSES, when=lambda _, i=i: i % 2 == 0) for i in range(5)
    ]
    assert judged(*functions).absent == ("T-1", "T-3")
    assert judged(*functions, unwanted=("T-1",)).absent == ("T-3",)
    # The same for a document that is read leniently, of which results are put together.
    assert judged(*functions, documents=BARE).absent == ("T-1", "T-3")


BARE = made.V3 | {"a/zarr.json": made.V3["a/zarr.json"].replace(b'"attributes": {}', b'"attributes": {"a": NaN}')}  # fmt: skip


def test_what_needs_a_fact_that_is_unsound_is_not_evaluated() -> None:
    results = judged(
        made.function("T-1", provides="shape"),
        made.function("T-2", "T-3", needs=("name", "shape"), provides="chunks"),
        made.function("T-4", needs=("chunks",)),
        made.function("T-5", needs=("codecs",)),
        made.function("T-6"),
    )
    assert said(results) == [("T-1", "error"), ("T-5", "error"), ("T-6", "error")]
    cause = "dependency: T-1"
    assert results.undecided == (("T-2", cause), ("T-3", cause), ("T-4", cause))


def test_the_first_cause_is_named() -> None:
    results = judged(
        made.function("T-1", provides="shape"),
        made.function("T-2", provides="shape"),
        made.function("T-3", needs=("shape",)),
    )
    assert results.undecided == (("T-3", "dependency: T-1"),)


@pytest.mark.parametrize(
    ("result", "cause"),
    [
        (Fail("", "x"), "T-1"),
        (Fail("", "x", severity="error"), "T-1"),
        (Fail("", "x", severity="warning"), None),
        (Fail("", "x", severity="info"), None),
        (Undecided("dependency: T-9"), "T-9"),
        (Undecided("listing"), None),
        (Undecided("unreadable: x"), None),
    ],
)
@pytest.mark.parametrize("unwanted", [(), ("T-1",)])
def test_what_leaves_a_fact_sound(
    result: Fail | Undecided, cause: str | None, unwanted: tuple[str, ...]
) -> None:
    results = judged(
        made.function("T-1", check=made.says(result), provides="shape"),
        made.function("T-2", needs=("shape",)),
        unwanted=unwanted,
    )
    told = dict(results.undecided)
    assert told.get("T-2") == (None if cause is None else f"dependency: {cause}")
    assert ("T-2" in dict(said(results))) is (cause is None)
    # A rule that is not asked for is run because others need it, and is not heard.
    assert ("T-1" in {*told, *dict(said(results))}) is not bool(unwanted)


def test_facts_that_nobody_provides_are_sound_after_a_failure() -> None:
    results = judged(made.function("T-1"), made.function("T-2", needs=("shape",)))
    assert said(results) == [("T-1", "error"), ("T-2", "error")]
    reason = Undecided("dependency: T-9")
    results = judged(
        made.function("T-1", check=made.says(reason)), made.function("T-2", needs=("shape",))
    )
    assert said(results) == [("T-2", "error")]


@pytest.mark.parametrize("where", ["check", "when"])
def test_a_crash_leaves_each_rule_of_the_function_open_and_the_others_alone(where: str) -> None:
    results = judged(
        made.function("T-1", "T-2", **{where: made.crashes}),  # type: ignore[arg-type]
        made.function("T-3"),
    )
    assert said(results) == [("T-3", "error")]
    reason = "internal error: RuntimeError: boom"
    assert results.undecided == (("T-1", reason), ("T-2", reason))
    assert results.absent == ()


def test_a_rule_is_told_once_as_not_known() -> None:
    results = judged(
        made.function("T-1", check=made.says(Undecided("listing"), Undecided("cost"))),
        made.function("T-2", check=made.says(Undecided("cost", rule="T-1"), Undecided("budget"))),
    )
    assert results.undecided == (("T-1", "listing"), ("T-2", "budget"))


def test_a_function_may_speak_of_another_rule() -> None:
    check = made.says(Fail("", "x", rule="T-2"), Fail("", "y"), Undecided("cost", rule="T-3"))
    functions = (made.function("T-1", "T-2", "T-3", check=check),)
    results = judged(*functions)
    assert said(results) == [("T-2", "error"), ("T-1", "error")]
    assert results.undecided == (("T-3", "cost"),)
    results = judged(*functions, unwanted=("T-2", "T-3"))
    assert said(results) == [("T-1", "error")]
    assert results.undecided == ()
    assert results.rules == ("T-1",)


@pytest.mark.parametrize(
    ("zarr_format", "in_other_formats", "expected"),
    [
        (3, None, ["error", "warning", "info"]),
        (None, None, ["error", "warning", "info"]),
        (2, False, ["error", "warning", "info"]),
        (2, None, ["warning", "warning", "info"]),
    ],
)
def test_what_is_asked_for_another_version_of_zarr_is_advice(
    zarr_format: int | None, in_other_formats: bool | None, expected: list[str]
) -> None:
    fails = [Fail("", str(severity), severity=severity) for severity in (None, "warning", "info")]  # type: ignore[arg-type]
    results = judged(
        made.function("T-1", check=made.says(*fails)),
        zarr_format=zarr_format,
        in_other_formats=in_other_formats,
    )
    assert [severity for _, severity in said(results)] == expected


def test_rules_on_documents_are_asked_about_each() -> None:
    def names(_node: Node, document: Document) -> Iterator[Fail]:
        yield Fail("", document.name)

    functions = (
        made.function("T-1", on="document", check=names),
        made.function("T-2", on="document", check=names, when=lambda _, d: d.name == ".zattrs"),
        made.function("T-3", on="document", check=names, when=lambda *_: False),
    )
    results = judged(*functions, documents=made.V2)
    found = [(violation.rule.id, violation.fail.message) for violation in results.violations]
    assert found == [("T-1", ".zarray"), ("T-1", ".zattrs"), ("T-2", ".zattrs")]
    # Of a document without problems there is nothing to say: its rules have passed.
    assert results.absent == ()
    assert not results.undecided


@pytest.mark.parametrize("path", ["/", "/a", "/x"])
def test_rules_on_the_root_are_asked_there_alone(path: str) -> None:
    results = judged(
        made.function("T-1", check=made.PASSES), made.function("T-2", on="root"), path=path
    )
    assert said(results) == ([("T-2", "error")] if path == "/" else [])


def test_rules_on_a_kind_of_thing_are_not_asked_about_others() -> None:
    found = made.registry(made.function("T-1"), made.function("T-2", on="name"))
    for subject, rule_id in (("node", "T-1"), ("name", "T-2")):
        plan = Plan(found, [subject], None, frozenset(found.rules))  # type: ignore[list-item]
        assert plan.rules == (rule_id,)
        assert said(plan.run("x")) == [(rule_id, "error")]
        assert plan.passed.rules == (rule_id,)
        assert plan.passed.clean
        assert plan.undecided("cost").undecided == ((rule_id, "cost"),)
        assert plan.undecided("listing").undecided == ((rule_id, "listing"),)


@pytest.mark.parametrize(
    ("documents", "path", "cause"),
    [
        (made.V3 | {"a/zarr.json": b'{"zarr_format": 3, '}, "/a", "JSON-002"),
        (made.V3 | {"a/zarr.json": b""}, "/a", "JSON-002"),
        (made.V3 | {"a/zarr.json": b'{"a": maybe}'}, "/a", "JSON-002"),
        (made.V3 | {"a/zarr.json": b"[1]"}, "/a", "JSON-006"),
        (made.V3 | {"a/zarr.json": b"[" * 5000 + b"]" * 5000}, "/a", "JSON-007"),
        (made.V2 | {"a/.zarray": b"[1]"}, "/a", "JSON-006"),
        (made.V2 | {"a/.zarray": b"\xff\xfe"}, "/a", "JSON-002"),
    ],
)
def test_without_a_readable_document_nothing_is_known(
    documents: dict[str, bytes], path: str, cause: str
) -> None:
    results = judged(
        made.function("T-1", "T-2"),
        made.function("T-3", on="array", provides="x"),
        made.function("T-4", on="document"),
        documents=documents,
        path=path,
    )
    reason = f"dependency: {cause}"
    assert results.undecided == (("T-1", reason), ("T-2", reason), ("T-3", reason))
    assert {rule_id for rule_id, _ in said(results)} == {"T-4"}


def test_a_refused_document_is_the_cause() -> None:
    plan = Plan(made.registry(made.function("T-1")), ["node"], None, frozenset({"T-1"}))
    refused = open_store(FaultyStore(V3, ["a/zarr.json"], listable=True))["/a"]
    assert plan.run_node(refused).undecided == (("T-1", "dependency: TREE-007"),)


@pytest.mark.parametrize(
    ("documents", "path", "cause"),
    [
        ({"a/zarr.json": made.V3["a/zarr.json"]}, "/", "TREE-001"),
        ({"g/a/.zarray": made.V2["a/.zarray"], ".zgroup": made.V2[".zgroup"]}, "/g", "TREE-002"),
        (
            {".zmetadata": b'{"zarr_consolidated_format": 1, "metadata": {}}'},
            "/",
            "TREE-002",
        ),
    ],
)
def test_a_group_without_a_document_is_the_cause(
    documents: dict[str, bytes], path: str, cause: str
) -> None:
    results = judged(
        made.function("T-1"), made.function("T-2", on="root"), documents=documents, path=path
    )
    reasons = {("T-1", f"dependency: {cause}"), ("T-2", f"dependency: {cause}")}
    assert {*results.undecided} == (reasons if path == "/" else {("T-1", f"dependency: {cause}")})


@pytest.mark.parametrize(
    ("text", "cause"), [(b"{", "JSON-002"), (b"[]", "Z2-ATT-001"), (b'{"a": NaN}', None)]
)
@pytest.mark.parametrize("fact", ["attributes", ".zattrs", "shape"])
def test_unreadable_attributes_leave_open_what_needs_them_alone(
    text: bytes, cause: str | None, fact: str
) -> None:
    documents = made.V2 | {"a/.zattrs": text}
    results = judged(made.function("T-1", needs=(fact,)), made.function("T-2"), documents=documents)
    blocked = cause is not None and fact != "shape"
    assert dict(said(results)).keys() == ({"T-2"} if blocked else {"T-1", "T-2"})
    assert results.undecided == ((("T-1", f"dependency: {cause}"),) if blocked else ())


def test_what_is_wrong_with_a_text_is_told_beside_the_rest() -> None:
    """Of a document with problems the text is judged by itself, and what it breaks counts for the others."""
    results = judged(
        made.function("T-1", on="document", provides="number"),
        made.function("T-2", needs=("number",)),
        made.function("T-3"),
        documents=BARE,
    )
    assert results.rules == ("T-1", "T-2", "T-3")
    assert said(results) == [("T-1", "error"), ("T-3", "error")]
    assert results.undecided == (("T-2", "dependency: T-1"),)
    results = judged(
        made.function("T-1", on="document", check=made.says(Undecided("cost"))),
        made.function("T-2"),
        documents=BARE,
    )
    assert results.undecided == (("T-1", "cost"),)
    assert said(results) == [("T-2", "error")]
