"""Results that are remembered are those that judging a node anew would give, whatever is read to get them."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.engine import memo_keys
from nz_explorer.engine.memo_keys import Memo, ReadLog, exact_text, traced
from nz_explorer.model import Node, open_store
from tests.benchmarks.large import tree, write
from tests.corpus.cases import FaultyStore

ATTRIBUTES: list[dict[str, Any]] = [
    *({"a": a, "b": b} for a in (0, 1, 0.0, -0.0, True) for b in (0, 1)),
    {"b": 0, "a": 0},
    {"a": 0},
    {},
]


def _nodes() -> list[Node]:
    """Return three of each kind, in several groups and under several names, of both versions."""
    documents = {"zarr.json": json.dumps({"zarr_format": 3, "node_type": "group"})}
    for i, attributes in enumerate(ATTRIBUTES):
        for stem in ("g/x", "g/y", "h/x"):
            group = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
            documents[f"{stem}{i}/zarr.json"] = json.dumps(group)
            documents[f"{stem}{i}old/.zgroup"] = '{"zarr_format": 2}'
            documents[f"{stem}{i}old/.zattrs"] = json.dumps(attributes)
    stored = {key: text.encode() for key, text in documents.items()}
    return [
        node for node in open_store(FaultyStore(stored, [], listable=True)).walk() if node.documents
    ][1:]


NODES = _nodes()


def _branches(node: Node) -> str:
    """Read the second attribute only where the first one says so."""
    first = node.attributes.get("a")
    return repr((first, node.attributes.get("b") if first == 1 else None))


JUDGES: dict[str, Callable[[Node], Any]] = {
    "one attribute after another": _branches,
    "names": lambda node: repr(list(node.attributes)),
    "all values": lambda node: repr(node.attributes),
    "odd values": lambda node: repr(node.odd_attributes),
    "name": lambda node: node.name,
    "parent": lambda node: node.parent,
    "path": lambda node: node.path,
    "key": lambda node: node.documents[0].key,
    "text": lambda node: node.documents[-1].text,
    "other nodes": lambda node: str(node.hierarchy.node_if_loaded(node.path)),
    "the root": lambda node: repr(node.hierarchy.root.attributes),
    "version": lambda node: repr((node.zarr_format, node.hierarchy.zarr_format)),
}


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
def test_what_is_remembered_is_right(
    judge: Callable[[Node], Any], eager: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if eager:
        monkeypatch.setattr(Memo, "_is_first", lambda *_: False)
    memo = Memo()
    for _ in range(3):
        for node in (*NODES, *NODES[::-1]):
            known = memo.known(node)
            assert (memo.result(node, judge) if known is None else known) == judge(node)


def test_what_else_a_result_depends_on() -> None:
    memo = Memo()
    for _ in range(3):
        for given in ("one", "two"):
            assert memo.result(NODES[0], lambda _node, given=given: given, (given,)) == given


def test_hierarchies_of_another_version_do_not_share() -> None:
    group = b'{"zarr_format": 3, "node_type": "group"}'
    roots = [{"zarr.json": group}, {".zgroup": b'{"zarr_format": 2}'}]
    nodes = [
        open_store(FaultyStore({**root, "a/zarr.json": group}, [], listable=True))["/a"]
        for root in roots
    ]
    memo = Memo()
    for node in (*nodes, *nodes, *nodes):
        known = memo.known(node)
        found = memo.result(node, lambda n: n.hierarchy.zarr_format) if known is None else known
        assert found == node.hierarchy.zarr_format


def _shared(nodes: list[Node], judge: Callable[[Node], Any]) -> None:
    """Have a memo remember results of each node, and compare them with what judging it anew gives."""
    memo = Memo()
    for _ in range(3):
        for node in nodes:
            known = memo.known(node)
            assert (memo.result(node, judge) if known is None else known) == judge(node)


def test_documents_beside_those_of_zarr_are_part_of_the_structure() -> None:
    documents = {
        ".zgroup": b'{"zarr_format": 2}',
        ".nczgroup": b"{}",
        "a/.zgroup": b'{"zarr_format": 2}',
        "a/.nczgroup": b'{"dims": {"x": 1}}',
        "b/.zgroup": b'{"zarr_format": 2}',
        "b/.nczgroup": b'{"dims": {"x": 2}}',
    }
    hierarchy = open_store(FaultyStore(documents, [], listable=True))
    nodes = [hierarchy["/a"], hierarchy["/b"]]
    assert [len(node.documents) for node in nodes] == [2, 2]
    _shared(nodes, lambda node: repr([document.value for document in node.documents]))


def test_consolidated_metadata_below_the_root_are_in_no_key() -> None:
    def group(entries: dict[str, Any]) -> bytes:
        consolidated = {"kind": "inline", "must_understand": False, "metadata": entries}
        members = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": consolidated}
        return json.dumps(members).encode()

    inner = {"zarr_format": 3, "node_type": "group"}
    root = json.dumps(inner).encode()
    documents = {"zarr.json": root, "a/zarr.json": group({}), "b/zarr.json": group({"c": inner})}
    hierarchy = open_store(FaultyStore(documents, [], listable=True))
    _shared(
        [hierarchy["/a"], hierarchy["/b"]],
        lambda node: repr(node.metadata["consolidated_metadata"]),
    )


def test_another_root_is_another_result() -> None:
    nodes = []
    for attributes in ({}, {"conventions": "NZ-1.0"}):
        root = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        inner = b'{"zarr_format": 3, "node_type": "group"}'
        documents = {"zarr.json": json.dumps(root).encode(), "a/zarr.json": inner}
        nodes.append(open_store(FaultyStore(documents, [], listable=True))["/a"])
    for judge in (
        lambda node: repr(node.hierarchy.root.attributes),
        lambda node: node.hierarchy.root.documents[0].text,
    ):
        _shared(nodes, judge)
        _shared(nodes[::-1], judge)


def _arrays(*texts: str) -> list[Node]:
    """Return arrays with these members beside those of every array."""
    usual = (
        '"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "float64", "fill_value": 0,'
        ' "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},'
        ' "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]'
    )
    documents = {f"a{i}/zarr.json": f"{{{usual}, {text}}}" for i, text in enumerate(texts)}
    documents["zarr.json"] = '{"zarr_format": 3, "node_type": "group"}'
    stored = {key: text.encode() for key, text in documents.items()}
    hierarchy = open_store(FaultyStore(stored, [], listable=True))
    return [hierarchy[f"/a{i}"] for i in range(len(texts))]


def test_what_is_wrong_with_texts_that_say_the_same() -> None:
    nodes = _arrays(
        '"attributes": {"a": 1, "a": 2}', '"attributes": {"a": 1,   "a": 2}', '"attributes": {"a": 2}'
    )  # fmt: skip
    assert [len(node.documents[0].problems) for node in nodes] == [1, 1, 0]
    _shared(nodes, lambda node: repr(node.documents[0].problems))
    _shared(nodes, lambda node: repr(node.documents[0].text))


def test_several_facts_at_once() -> None:
    _shared(NODES, lambda node: repr((node.name, node.parent)))
    _shared(NODES, lambda node: repr((node.parent, node.name, node.odd_attributes, node.state)))
    _shared(NODES, lambda node: repr((node.odd_attributes, node.attributes.get("b"))))


@pytest.mark.parametrize("text", ['"a": {"x": 1}', '"attributes": 5', '"b": {}, "attributes": {"y": [1]}', '"attributes": {"z": {"z": 1}}'])  # fmt: skip
def test_a_traced_node_says_the_same(text: str) -> None:
    (node,) = _arrays(text)
    twin = traced(node, ReadLog())
    assert dict(twin.metadata.items()) == node.metadata
    assert twin.attributes == node.attributes
    assert not twin.attributes != node.attributes  # noqa: SIM202  # both are asked
    assert twin.attributes != {"y": [2]}
    assert (
        {**twin.attributes} | {"q": 1} == twin.attributes | {"q": 1} == node.attributes | {"q": 1}
    )
    assert {"q": 1} | twin.attributes == {"q": 1} | node.attributes
    assert list(reversed(twin.attributes)) == list(reversed(node.attributes))
    assert list(twin.attributes.values()) == list(node.attributes.values())
    assert len(twin.attributes) == len(node.attributes)
    assert copy.deepcopy(twin.attributes) == copy.copy(twin.attributes) == node.attributes
    assert twin.attributes.get("none") is None
    assert twin.attributes.get("none", 5) == 5
    for name in ("shape", "data_type", "path", "name", "parent", "kind", "state", "zarr_format"):
        assert getattr(twin, name) == getattr(node, name)


def test_what_is_known_is_not_judged_again() -> None:
    """Also where the first node of a kind had more to read than the second, and the other way round."""
    memo = Memo()
    judged: list[Node] = []

    def judge(node: Node) -> str:
        judged.append(node)
        return _branches(node)

    for _ in range(4):
        judged.clear()
        for node in NODES:
            if memo.known(node) is None:
                memo.result(node, judge)
    assert judged == []


def test_a_memo_that_is_full_still_gives_right_results(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 1, 2, 3):
        monkeypatch.setattr(memo_keys, "MEMO_ENTRIES", number)
        _shared(NODES, _branches)
        memo = Memo()
        kinds: list[type] = []

        def judge(node: Node, kinds: list[type] = kinds) -> str:
            kinds.append(type(node))
            return repr(node.attributes)

        for node in (*NODES, *NODES, *NODES):
            memo.result(node, judge)
        assert sum(kind.__name__.startswith("Traced") for kind in kinds) <= number


def test_values_are_equal_in_everything_or_not() -> None:
    values = [1, 1.0, True, 0.0, -0.0, None, math.inf, "1", [1], {"a": 1}, {"a": 1.0}, [], {}, ""]
    texts = [exact_text(value) for value in values]
    assert len(set(texts)) == len(values)
    assert texts == [exact_text(copy.deepcopy(value)) for value in values]
    assert exact_text({"a": 1, "b": 2}) != exact_text({"b": 2, "a": 1})
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    # Too deep to be compared: like nothing else, and not even like itself.
    assert exact_text(deep) != exact_text(deep)


def test_no_rule_reads_what_no_key_can_hold_of_usual_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every node of a store would be judged by itself, which takes twenty times as long."""
    elsewhere: list[str] = []
    monkeypatch.setattr(ReadLog, "read_elsewhere", lambda _self, name: elsewhere.append(name))
    nodes = tree(3, 10, alike=True)
    nz.check(write(tmp_path, nodes, consolidated=True), values="none", progress=False)
    assert elsewhere == []
