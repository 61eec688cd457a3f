"""What is said of a group with its members, and of consolidated entries, does not depend on what else is in the store.

These rules look at other nodes, so their reads are not traced and their results are not remembered by what was read.
Here groups that differ in one member, name or entry are judged alone, in one store, and in any order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pytest

from nz_explorer.conventions import evaluate, registry
from nz_explorer.engine.evaluation.judge import Judge
from nz_explorer.engine.findings import Finding
from nz_explorer.model import Group, Hierarchy, open_store
from tests.corpus.cases import CASES, FaultyStore, contents
from tests.engine.twins import ROOTS, Subtree, company, consolidated

Found = dict[str, list[str]]
Members = dict[str, dict[str, Any]]


def _array(dimensions: dict[str, int], **attributes: Any) -> dict[str, Any]:
    shape = list(dimensions.values())
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": 0.0,
        "dimension_names": list(dimensions),
        "attributes": attributes,
    }


BASE: Members = {
    "x": _array({"x": 3}),
    "y": _array({"y": 2}),
    "t": _array({"y": 2, "x": 3}, coordinates="lat", ancillary_variables="q"),
    "q": _array({"y": 2, "x": 3}),
    "lat": _array({"y": 2, "x": 3}, units="degrees_north"),
}
NAMES = ("x", "y", "X", "t", "T", "e\u0301", "\u00e9", "x2", "lat", "1x", "z", "a b")
LENGTHS = (1, 2, 3, 4)


def _near(members: Members, choice: random.Random) -> Members:
    """Return members of which one was changed, renamed, dropped, doubled or moved."""
    changed: Members = json.loads(json.dumps(members))
    name = choice.choice(list(changed) or ["x"])
    one = changed.get(name, _array({"x": 3}))
    axis = choice.randrange(len(one["shape"])) if one["shape"] else 0
    match choice.randrange(9):
        case 0:
            changed.pop(name, None)
        case 1:
            changed[choice.choice(NAMES)] = changed.pop(name, one)
        case 2:
            changed[choice.choice(NAMES)] = json.loads(json.dumps(one))
        case 3 if one["shape"]:
            one["shape"][axis] = choice.choice(LENGTHS)
        case 4 if one["shape"]:
            one["dimension_names"][axis] = choice.choice([*NAMES, None])
        case 5:
            one["attributes"]["coordinates"] = " ".join(choice.choices(NAMES, k=2))
        case 6:
            one["attributes"]["_FillValue"] = choice.choice([1.0, "NaN", None])
        case 7:
            one.pop("dimension_names", None)
            one["dimension_names"] = [None] * len(one["shape"])
        case _:
            changed[name] = {"zarr_format": 3, "node_type": "group"}
    return {key: value for key, value in changed.items() if "shape" in value or key != "x"}


def _groups(number: int) -> list[Members]:
    """Return the base, near twins of it, and near twins of these."""
    choice = random.Random(0)
    found = [BASE]
    while len(found) < number:
        source = choice.choice(found)
        if all("shape" in value for value in source.values()) and source:
            found.append(_near(source, choice))
        else:
            found.append(_near(BASE, choice))
    return found


def _subtree(members: Members) -> Subtree:
    own = {"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'}
    return own | {f"{n}/zarr.json": json.dumps(m).encode() for n, m in members.items()}


def _of_the_corpus() -> list[Subtree]:
    """Return the hierarchies of the corpus, of version 3, that are about groups and their members."""
    about = registry().ids_on("members")
    found = [
        {k: raw for k, raw in contents(case).items() if k.endswith("zarr.json")}
        for case in CASES
        if case["rule"] in about
    ]
    return [documents for documents in found if documents]


GROUPS = [_subtree(members) for members in _groups(40)] + _of_the_corpus()

JUDGED = {False: range(len(GROUPS)), True: range(0, len(GROUPS), 3)}
"""Which of them are compared, without and with consolidated entries."""


def _store(numbers: Sequence[int], *, with_entries: bool) -> FaultyStore:
    """Return a store with some of the groups; some of its consolidated entries are those of the next group."""
    given = [GROUPS[i] if i in numbers else {} for i in range(len(GROUPS))]
    documents = company(given, ROOTS[3])
    if with_entries:
        copies = [
            {key: GROUPS[(i + i % 2) % len(GROUPS)].get(key, raw) for key, raw in one.items()}
            for i, one in enumerate(given)
        ]
        documents |= consolidated(company(copies, {}))
    return FaultyStore(documents, [], listable=True)


def _text(finding: Finding, hierarchy: Hierarchy) -> str:
    return json.dumps(finding.to_dict(), sort_keys=True).replace(str(hierarchy.source), "…")


def _judged(store: FaultyStore, order: random.Random | None = None) -> Found:
    """Return what is said of each node below the root; in any order, and some of it twice, where one is given."""
    hierarchy = open_store(store)
    evaluation = evaluate(hierarchy, list(registry().askable), values="none")
    evaluation.run()
    if order is not None:
        groups = [node for node in hierarchy.stored.walk() if isinstance(node, Group)]
        order.shuffle(groups)
        for group in groups:
            if group.path != "/":
                evaluation.add_node(group)
                evaluation.group_complete(group)
    found: Found = {}
    for finding in evaluation.findings():
        found.setdefault(finding.path, []).append(_text(finding, hierarchy))
    for left_out in evaluation.not_evaluated():
        found.setdefault(left_out.path, []).append(f"{left_out.rule}: {left_out.reason}")
    return {path: sorted(said) for path, said in found.items() if path != "/"}


@pytest.fixture(scope="module")
def alone() -> dict[bool, Found]:
    """What is said of each group in a store of its own, without and with consolidated entries."""
    return {
        given: {
            path: said
            for i in JUDGED[given]
            for path, said in _judged(_store([i], with_entries=given)).items()
        }
        for given in (False, True)
    }


@pytest.mark.parametrize("with_entries", [False, True])
def test_groups_alone_and_in_company(alone: dict[bool, Found], with_entries: bool) -> None:
    store = _store(JUDGED[with_entries], with_entries=with_entries)
    assert _judged(store) == alone[with_entries]
    assert _judged(store, random.Random(1)) == alone[with_entries]
    broken = {
        json.loads(text)["rule"]
        for said in alone[with_entries].values()
        for text in said
        if text.startswith("{")
    }
    assert len(broken & registry().ids_on("members")) > 15
    assert "NZ-CONS-002" in broken or not with_entries


TOO_LITTLE: dict[str, Callable[[Group], Hashable]] = {
    "names": lambda group: tuple(sorted(child.name for child in group.children or ())),
    "shapes": lambda group: tuple(array.shape for array in group.arrays),
    "names of dimensions": lambda group: tuple(array.dimension_names for array in group.arrays),
    "all but attributes": lambda group: tuple(
        (array.name, array.shape, array.dimension_names) for array in group.arrays
    ),
}


@pytest.mark.parametrize("key", TOO_LITTLE.values(), ids=TOO_LITTLE)
def test_a_memo_that_keeps_less_than_what_is_read_would_be_seen(
    key: Callable[[Group], Hashable], alone: dict[bool, Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[Hashable, Any] = {}
    judge = Judge.members
    monkeypatch.setattr(
        Judge, "members", lambda self, group: known.setdefault(key(group), judge(self, group))
    )
    assert _judged(_store(JUDGED[False], with_entries=False)) != alone[False]
