"""The results of each node, and what is counted from them: as the dataset and the project want it."""

from __future__ import annotations

from typing import Any

import pytest

from nz_explorer.engine.configuration import Configuration
from nz_explorer.engine.evaluation.records import Record, Records, in_tree_order, tree_order
from nz_explorer.engine.findings import Fail, Severity, Violation
from nz_explorer.engine.plan import RuleResults
from tests.engine.made import info


def failing(*severities: Severity, rule: Any = None, path: str | None = None) -> RuleResults:
    """Return results with a violation of each severity."""
    broken = rule or info("T-001")
    found = tuple(Violation(broken, Fail("", one, path=path), one) for one in severities)
    return RuleResults(("T-001",), found)


def records(**nodes: RuleResults) -> Records:
    """Return the records of some nodes."""
    made = Records(None)
    for name, results in nodes.items():
        record = made.nodes[f"/{name}"] = Record("array", "ok", True, 3)
        made.put(f"/{name}", record, "documents", results)
    return made


def severities(made: Records, place: str) -> list[str]:
    return [one.severity for _, found in made.parts_at(place) for one in found]


def test_findings_are_counted_and_forgotten_with_their_node() -> None:
    made = records(a=failing("error", "warning"), b=failing("info"))
    assert made.counts.at("/") == (1, 1, 1)
    assert made.counts.at("/a") == (1, 1, 0)
    assert made.failed == {"T-001": 1}  # the milder ones are notes on what the rule allows
    made.drop("/a")
    assert made.counts.at("/") == (0, 0, 1)
    assert set(made.places) == {"/b"}
    assert +made.failed == {}


def test_what_all_values_say_as_well_is_left_out_of_the_documents_as_long_as_they_say_it() -> None:
    told = failing("warning", "info")
    made = records(a=told)
    record, other = made.nodes["/a"], info("T-002")
    more = Violation(other, Fail("", "error", covers=("T-001",)), "error")
    values = RuleResults(("T-002",), (more,))
    made.put("/a", record, "contents", values)
    assert severities(made, "/a") == ["error"]
    assert made.counts.at("/") == (1, 0, 0)
    assert made.failed == {"T-002": 1, "T-001": 0}
    assert made.nodes["/a"].documents is not None
    assert made.nodes["/a"].documents.absent == ("T-001",)
    made.put("/a", record, "documents", failing("info"))  # edited
    assert severities(made, "/a") == ["error"]
    twin = made.copy()
    made.put("/a", record, "contents", RuleResults(("T-002",), (), (("T-002", "cost"),)))
    assert severities(made, "/a") == ["info"]
    assert severities(twin, "/a") == ["error"]
    made.drop("/a")
    twin.drop("/a")
    assert made.counts.at("/") == twin.counts.at("/") == (0, 0, 0)


def test_what_is_left_out_beside_another_failure_is_broken_all_the_same() -> None:
    made = records(a=failing("error"))
    record = made.nodes["/a"]
    more = Violation(info("T-002"), Fail("", "error", covers=("T-001",)), "error")
    made.put("/a", record, "contents", RuleResults(("T-002",), (more,)))
    assert +made.failed == {"T-002": 1}
    assert +made.told == {"T-001": 1}
    made.put("/a", record, "contents", RuleResults(("T-002",)))
    assert +made.failed == {"T-001": 1}
    assert +made.told == {}


@pytest.mark.parametrize(
    ("of_rule", "found", "breaks"),
    [
        ("error", "error", True),
        ("error", "warning", False),
        ("error", "info", False),
        ("warning", "error", True),
        ("warning", "warning", True),
        ("warning", "info", False),
        ("info", "warning", True),
        ("info", "info", True),
    ],
)
def test_a_rule_is_broken_by_what_is_as_grave_or_graver(
    of_rule: Severity, found: Severity, breaks: bool
) -> None:
    made = records(a=failing(found, rule=info("T-001", severity=of_rule)))
    assert bool(made.failed["T-001"]) is breaks


def test_what_a_dataset_has_not_promised_is_information_also_where_it_is_found_later() -> None:
    harmful = info("T-002", impact="values")
    other = info("U-001")
    made = records(
        a=failing("error", "warning", "info"),
        b=failing("warning", rule=harmful),
        c=failing("error", rule=other),
    )
    assert made.counts.at("/") == (2, 2, 1)
    made.take_as_advice(frozenset({"T"}))
    assert severities(made, "/a") == ["info", "info", "info"]
    assert severities(made, "/b") == ["warning"]  # a reader is affected
    assert severities(made, "/c") == ["error"]  # of another convention
    assert made.counts.at("/") == (1, 1, 3)
    made.take_as_advice(frozenset({"T", "U"}))
    assert made.counts.at("/") == (0, 1, 4)
    made.take_as_advice(frozenset({"U"}))
    assert made.counts.at("/") == (1, 2, 2)
    made.take_as_advice(frozenset())
    assert made.counts.at("/") == (2, 2, 1)
    assert made.failed == {"T-001": 1, "T-002": 0, "U-001": 1}


def test_findings_on_another_node_go_with_the_one_that_they_come_from() -> None:
    made = records(b=failing("error", path="/a"), a=failing("warning"))
    assert made.counts.at("/a") == (1, 1, 0)
    assert made.counts.at("/b") == (0, 0, 0)
    assert [one for one, _ in made.parts_at("/a")] == [("/a", "documents"), ("/b", "documents")]
    twin = made.copy()
    made.drop("/b")
    assert made.counts.at("/a") == (0, 1, 0)
    assert [one for one, _ in made.parts_at("/a")] == [("/a", "documents")]
    assert twin.counts.at("/a") == (1, 1, 0)
    assert [one for one, _ in twin.parts_at("/a")] == [("/a", "documents"), ("/b", "documents")]


def test_results_that_are_given_again_change_nothing() -> None:
    made = records(a=failing("error"))
    before = made.changes
    made.put("/a", made.nodes["/a"], "documents", made.nodes["/a"].documents)
    assert (made.changes, made.counts.at("/")) == (before, (1, 0, 0))
    made.put("/a", made.nodes["/a"], "documents", failing("info"))
    assert made.changes > before
    assert made.counts.at("/") == (0, 0, 1)


def test_a_project_sees_what_it_asks_for() -> None:
    wanted = Configuration(severity={"T-001": "warning"}, per_path_ignores={"/b": ("T",)})
    made = Records(wanted)
    for name in "ab":
        record = made.nodes[f"/{name}"] = Record("array", "ok", True, 3)
        made.put(f"/{name}", record, "documents", failing("error"))
    assert made.counts.at("/") == (0, 1, 0)
    assert severities(made, "/a") == ["warning"]
    assert severities(made, "/b") == []
    assert made.failed == {"T-001": 2}


def test_parents_come_before_their_children_and_names_in_order() -> None:
    paths = ["/b", "/a.b", "/a/c", "/", "/a"]
    assert sorted(paths, key=tree_order) == ["/", "/a", "/a/c", "/a.b", "/b"]
    assert in_tree_order(paths) == ["/", "/a", "/a/c", "/a.b", "/b"]
    odd = ["/a\0b", "/a/c", "/a", "/a\0", "/a/b"]  # a name may have any character but the slash
    assert in_tree_order(odd) == sorted(odd, key=tree_order)
