"""Results are shared by nodes only where they would be the same: alone, in company, in any order."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.conventions import evaluate, registry, rules
from nz_explorer.documents import decoding
from nz_explorer.engine import memo_keys
from nz_explorer.engine.memo_keys import Memo, ReadLog, traced
from nz_explorer.engine.plan import Plan, RuleResults
from nz_explorer.model import Array, Hierarchy, Node, open_store, templates
from tests.benchmarks import large
from tests.corpus.cases import FaultyStore, write
from tests.engine.twins import (
    ROOTS,
    Subtree,
    company,
    consolidated,
    consolidated_v2,
    opened,
    spellings,
    subtrees,
    twin,
    with_twins,
)

ALL_RULES = sorted({rule_id.rpartition("-")[0] for rule_id in rules()} | set(rules()))
Found = dict[str, list[Any]]


def _judged(hierarchy: Hierarchy, nodes: list[Node], *, select: Iterable[str] = ALL_RULES) -> Found:
    """Return what the rules on documents say of nodes that are evaluated in an order: findings and the rest."""
    conventions = list(registry().askable) if select else "auto"
    evaluation = evaluate(hierarchy, conventions, select=select, values="none")
    for node in nodes:
        evaluation.add_node(node)
    found: Found = {node.path: [] for node in nodes}
    for finding in evaluation.findings():
        if finding.path in found:
            found[finding.path].append(finding.to_dict())
    for left_out in evaluation.not_evaluated():
        if left_out.path in found:
            found[left_out.path].append((left_out.rule, left_out.reason))
    return found


def _alone(
    store: Path, monkeypatch: pytest.MonkeyPatch, *, select: Iterable[str] = ALL_RULES
) -> Found:
    """Return the same with every node made and judged by itself: nothing is shared, and nothing traced."""
    with monkeypatch.context() as patch:
        patch.setattr(Memo, "known", lambda _self, _node: None)
        patch.setattr(Memo, "result", lambda _self, node, judge, _given=(): judge(node))
        return _judged(*opened(store, sharing=False), select=select)


def _differing(alone: Found, shared: Found) -> list[str]:
    assert alone.keys() == shared.keys()
    return [
        path for path in alone if sorted(map(str, alone[path])) != sorted(map(str, shared[path]))
    ]


STORES: dict[str, Callable[[], Subtree]] = {
    "v3": lambda: company(with_twins(3, 200)[::2] + spellings(6), ROOTS[3]),
    "v3, the others": lambda: company(with_twins(3, 200)[1::2] + spellings(6), ROOTS[3]),
    "v3 in part": lambda: company(with_twins(3, 300, 3), ROOTS[3]),
    "v2": lambda: company(with_twins(2, 400), ROOTS[2]),
    "consolidated": lambda: consolidated(company(with_twins(3, 300, 4), ROOTS[3])),
    "consolidated v2": lambda: consolidated_v2(company(with_twins(2, 150, 2), ROOTS[2])),
}


LEAST = {
    "v3": 2300,
    "v3, the others": 2300,
    "v3 in part": 1500,
    "v2": 1300,
    "consolidated": 1500,
    "consolidated v2": 550,
}
"""How many nodes are compared at least."""


@pytest.mark.parametrize(
    ("kind", "select"),
    [
        ("v3", ()),
        ("v3, the others", ()),
        ("v3 in part", ALL_RULES),
        ("v2", ALL_RULES),
        ("consolidated", ()),
        ("consolidated v2", ()),
    ],
    ids=["v3", "v3, the others", "v3, all rules", "v2", "consolidated", "consolidated v2"],
)
def test_alone_in_company_and_in_any_order(
    kind: str, select: Iterable[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = write(STORES[kind](), tmp_path)
    alone = _alone(store, monkeypatch, select=select)
    assert len(alone) >= LEAST[kind]
    hierarchy, nodes = opened(store)
    random.Random(0).shuffle(nodes)
    with monkeypatch.context() as patch:
        patch.setattr(Memo, "_is_first", lambda *_: False)  # then what is read is noted of each
        assert _differing(alone, _judged(hierarchy, nodes, select=select)) == []
    assert _differing(alone, _judged(hierarchy, nodes[::-1], select=select)) == []


@pytest.mark.parametrize("kind", ["consolidated", "consolidated v2"])
def test_large_consolidated_metadata_say_what_small_ones_say(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether entries are decoded at once or one by one, as above 64 KiB, the findings are the same."""
    documents = STORES[kind]()
    name, raw = next(iter(documents.items()))  # the one that holds the entries
    repeating = {  # with keys that occur twice: in members, in attributes, deep inside
        3: b'"c1~x": {"zarr_format": 3, "node_type": "group", "node_type": "group",'
        b' "attributes": {"a": 1, "a": {"b": [{"c": 1, "\\u0063": 2}]}}}, ',
        2: b'"c1~x/.zattrs": {"a": 1, "a": {"b": [{"c": 1, "\\u0063": 2}]}}, ',
    }[3 if kind == "consolidated" else 2]
    documents[name] = raw.replace(b'"metadata": {', b'"metadata": {' + repeating, 1)
    store = write(documents, tmp_path)
    found, indexed = [], []
    for least in (2**40, 0):
        monkeypatch.setattr(decoding, "LAZY_BYTES", least)
        hierarchy = open_store(store)
        holder = hierarchy.consolidated.holder
        indexed.append(decoding.indexed_entries(holder.value) is not None)
        nodes = list(hierarchy.walk())
        assert len(nodes) > LEAST[kind]
        found.append(_judged(hierarchy, nodes))
    assert indexed == [False, True]
    assert _differing(*found) == []
    repeated = [one for one in found[1]["/"] if "JSON-004" in str(one) and "/c1~0x" in str(one)]
    assert len(repeated) == (3 if kind == "consolidated" else 2)


def test_numbers_in_entries_are_spelled_alike_however_entries_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = {"dimensions": {}, "arrays": [], "groups": []}
    root = {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": group | {"groups": ["g"]}}
    inner = (
        '{"_NCProperties": 1e16, "_nczarr_group": {"dimensions": {}, "arrays": [], "groups": []},'
        ' "_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_attr": {"types": {"_NCProperties": ">S1"}}}'
    )
    entries = (
        f'{{".zgroup": {{"zarr_format": 2}}, ".zattrs": {json.dumps(root)},'
        f' "g/.zgroup": {{"zarr_format": 2}}, "g/.zattrs": {inner}}}'
    )
    documents = {
        ".zmetadata": f'{{"zarr_consolidated_format": 1, "metadata": {entries}}}'.encode(),
        ".zgroup": b'{"zarr_format": 2}',
        ".zattrs": json.dumps(root).encode(),
    }
    store = write(documents, tmp_path)
    said = []
    for least in (2**40, 0):
        monkeypatch.setattr(decoding, "LAZY_BYTES", least)
        hierarchy = open_store(store)
        found = _judged(hierarchy, list(hierarchy.walk()))["/g"]
        said.append([one["message"] for one in found if one["rule"] == "NCZ-ATT-003"])
    assert said[0] == said[1] != []


# --- what the memo keys have ----------------------------------------------------------------------


def _array(attributes: str = "{}", name: str = "a", fill: str = "0.0", more: str = "") -> Subtree:
    raw = (
        '{"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "float64",'
        ' "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},'
        ' "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes",'
        ' "configuration": {"endian": "little"}}], "dimension_names": ["x"],'
        f' "fill_value": {fill}, "attributes": {attributes}{more}}}'
    )
    return {f"{name}/zarr.json": raw.encode()}


def _group(attributes: str) -> Subtree:
    raw = f'{{"zarr_format": 3, "node_type": "group", "attributes": {attributes}}}'
    return {"g/zarr.json": raw.encode()}


NEAR: dict[str, tuple[int, tuple[str, ...], Subtree, Subtree]] = {
    "missing_value": (
        3,
        ("missing_value",),
        _array('{"_FillValue": 1.0, "missing_value": 1.0}'),
        _array('{"_FillValue": 1.0, "missing_value": 2.0}'),
    ),
    "_FillValue": (
        3,
        ("_FillValue", memo_keys.TYPES),
        _array('{"_FillValue": 1}'),
        _array('{"_FillValue": true}'),
    ),
    "a text": (
        3,
        ("long_name", memo_keys.TYPES),
        _array('{"long_name": "1"}'),
        _array('{"long_name": 1}'),
    ),
    "a reference": (
        3,
        ("coordinates",),
        _array('{"coordinates": "lat lon"}'),
        _array('{"coordinates": "l.at lon"}'),
    ),
    "zarr_conventions": (
        3,
        ("zarr_conventions", memo_keys.ODD),
        _array('{"zarr_conventions": [{"uuid": "1", "name": "a"}]}'),
        _array('{"zarr_conventions": [{"uuid": "1"}]}'),
    ),
    "the type of a value": (
        3,
        ("a", memo_keys.ODD, memo_keys.TYPES),
        _array('{"a": 1}'),
        _array('{"a": null}'),
    ),
    "an integer beyond float64": (
        3,
        ("a", memo_keys.ODD),
        _array('{"a": 1}'),
        _array(f'{{"a": {2**53 + 1}}}'),
    ),
    "the type in a list": (
        3,
        ("a", memo_keys.ODD),
        _array('{"a": [1, 1]}'),
        _array('{"a": [1, true]}'),
    ),
    "a name": (
        3,
        ("named like its dimension",),
        _array('{"_FillValue": 1.0}', "y"),
        _array('{"_FillValue": 1.0}', "x"),
    ),
}
"""Two nodes that differ in one thing that some rule reads."""


def _pair(kind: str, folder: Path, *, turned: bool = False) -> Path:
    zarr_format, _, *both = NEAR[kind]
    first, second = both[::-1] if turned else both
    return write(company([first, first, second], ROOTS[zarr_format]), folder)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", NEAR)
def test_keys_have_what_is_read(
    kind: str, turned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the read in question the second node is given the result of the first."""
    store = _pair(kind, tmp_path, turned=turned)
    alone = _alone(store, monkeypatch)
    assert _differing(alone, _judged(*opened(store))) == []
    forgotten = NEAR[kind][1]
    for method in ("read_attribute", "read_fact"):
        note = getattr(ReadLog, method)
        monkeypatch.setattr(
            ReadLog,
            method,
            lambda log, name, note=note: None if name in forgotten else note(log, name),
        )
    assert _differing(alone, _judged(*opened(store))) != []


def test_arrays_that_differ_in_texts_alone_share_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that reads the text of long_name, of which no two are equal, makes a check take ten times as long."""
    judged: list[int] = []
    judge = Plan._judge_all

    def noting(plan: Plan, node: Node) -> RuleResults:
        judged.append(id(node))  # its path would be one more read
        return judge(plan, node)

    monkeypatch.setattr(Plan, "_judge_all", noting)
    store = large.write(tmp_path / "store.zarr", large.siblings(100))
    nz.check(store, values="none", progress=False)
    assert 0 < len(judged) < 40


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_array(fill="1e400"), _array(fill="null")),
        (_array(fill="1e400"), _array(fill="-1e400")),
        (_array(fill="0.0"), _array(fill="-0.0")),
        (_array(fill="1"), _array(fill="1.0")),
        (_array(fill="1"), _array(fill="true")),
        (_array(fill='"NaN"'), _array(fill="NaN")),
        (_array(fill=str(2**64)), _array(fill=str(float(2**64)))),
        (_array(fill='"\\ud800"'), _array(fill='"\\ud801"')),
        (_array('{"_FillValue": 1e400}'), _array('{"_FillValue": null}')),
        (_array('{"_FillValue": 1e400}'), _array('{"_FillValue": Infinity}')),
        (_array('{"_FillValue": 1, "_FillValue": 2}'), _array('{"_FillValue": 2}')),
        (_array(more=', "fill_value": "\\u003a"'), _array(fill='":"')),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_values_that_look_alike(
    one: Subtree, other: Subtree, turned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (other, one) if turned else (one, other)
    store = write(company([first, first, second], ROOTS[3]), tmp_path)
    hierarchy, nodes = opened(store)
    outlines = [node.structure_key for node in nodes if node.kind == "array"]
    assert outlines[0] != outlines[2] or outlines[0] is None or b"_FillValue" in one["a/zarr.json"]
    alone = _alone(store, monkeypatch)
    assert _differing(alone, _judged(hierarchy, nodes)) == []


def test_false_conformance_by_a_neighbour(tmp_path: Path) -> None:
    """1e400 is written as null by a fast encoder: neither array may be given the other's result."""
    for names in (("a", "b"), ("b", "a")):
        both = _array(name=names[0], fill="1e400") | _array(name=names[1], fill="null")
        report = nz.check(write(ROOTS[3] | both, tmp_path / names[0]), progress=False)
        found = {f.path for f in report.findings if f.pointer == "/fill_value"}
        assert f"/{names[1]}" in found
        assert report.conforms["NZ-1.0"] is False


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("stored", "entry", "expected"),
    [
        ("1e400", "1e400", set()),
        ("1e400", "null", {"NZ-CONS-002"}),
        ("null", "1e400", {"NZ-CONS-002"}),
        ("1e400", "-1e400", {"NZ-CONS-002"}),
        ("0.0", "0.0", set()),
    ],
)
def test_numbers_beyond_float64_in_consolidated_metadata(
    stored: str, entry: str, expected: set[str], large: bool, tmp_path: Path
) -> None:
    """They are infinite, which is neither null nor a bare token, in small documents and large ones."""
    title = "t" * 100_000 if large else "t"
    copies = consolidated(_array(fill=entry) | _array(f'{{"title": "{title}"}}', name="b"))
    others = _array(fill=stored) | _array(f'{{"title": "{title}"}}', name="b")
    store = write(copies | others, tmp_path)
    report = nz.check(store, progress=False)
    assert {f.rule for f in report.findings if f.rule.startswith("NZ-CONS")} == expected
    assert "JSON-003" not in {f.rule for f in report.findings}
    hierarchy = open_store(store)
    assert [d.problems for d in hierarchy["/a"].documents] == [()]
    assert hierarchy["/a"].metadata["fill_value"] == json.loads(entry)


@pytest.mark.parametrize(
    ("data_type", "spelled", "usable"),
    [
        ("float64", "1e400", False),
        ("float64", "-1e999", False),
        ("float32", "1e400", False),
        ("float64", "Infinity", True),
        ("float64", '"Infinity"', True),
        ("float64", "1e308", True),
        ("complex128", "[1e400, 0.0]", False),
        ("complex128", "[0.0, -1e400]", False),
        ("complex128", '["Infinity", 0.0]', True),
        ("complex128", "1e400", False),
    ],
)
@pytest.mark.parametrize("version", [2, 3])
def test_a_fill_value_beyond_float64_is_none(
    data_type: str, spelled: str, usable: bool, version: int, tmp_path: Path
) -> None:
    """The model, what masks and the rules give one answer: it can never match."""
    attributes = f'{{"_FillValue": {spelled}}}'
    if version == 3:
        plain = _array(attributes, fill="0.0" if "f" in data_type else "[0.0, 0.0]")
        raw = plain["a/zarr.json"].replace(b'"float64"', f'"{data_type}"'.encode())
        documents = {"a/zarr.json": raw}
    else:
        dtype = {"float64": "<f8", "float32": "<f4", "complex128": "<c16"}[data_type]
        main = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": dtype, "order": "C"}
        main |= {"compressor": None, "filters": None, "fill_value": None}
        documents = {"a/.zarray": json.dumps(main).encode(), "a/.zattrs": attributes.encode()}
    store = write(ROOTS[version] | documents, tmp_path)
    array = open_store(store)["/a"]
    assert isinstance(array, Array)
    assert array.fill is not None
    assert array.fill.usable is usable
    assert ("range" in {problem.kind for problem in array.fill.problems}) is not usable
    found = [f for f in nz.check(store, progress=False).findings if f.rule == "NZ-FILL-003"]
    assert [f.message for f in found] == [
        f"_FillValue {p.why}" for p in array.fill.problems if p.kind == "range"
    ]
    assert all(
        spelled.strip("[]").split(", ")[0] in f.message or "-1e400" in f.message for f in found
    )


def _node(documents: Subtree, path: str) -> Node:
    return open_store(FaultyStore(company([documents], ROOTS[3]), [], listable=True))[f"/c0/{path}"]


@pytest.mark.parametrize("node", [_node(_group("{}"), "g"), _node(_array(), "a")], ids=["g", "a"])
def test_whatever_else_is_read_is_noted(node: Node) -> None:
    """A result that depends on anything but the node's own documents must not be shared."""
    others = (
        "path",
        "children",
        "child_names",
        "known_children",
        "other_names",
        "text",
        "structure_key",
    )
    for name in [name for name in others if hasattr(node, name)]:
        log = ReadLog()
        getattr(traced(node, log), name)
        assert log.elsewhere == {name}
    for name in ("key", "structure_key", "release", "_raw"):
        log = ReadLog()
        getattr(traced(node, log).documents[0], name)
        assert log.elsewhere == {f"document: {name}"}
    for name in ("consolidated", "metadata_source", "source", "node_if_loaded"):
        log = ReadLog()
        getattr(traced(node, log).hierarchy, name)
        assert log.elsewhere == {f"hierarchy: {name}"}
    for name in ("label", "local", "get_many"):
        log = ReadLog()
        getattr(traced(node, log).hierarchy.reader, name)
        assert log.elsewhere == {f"hierarchy: {name}"}
    log = ReadLog()
    assert traced(node, log).hierarchy.reader.unwritten is False
    assert (set(log.facts), log.elsewhere) == ({"unwritten"}, set())
    log = ReadLog()
    _ = traced(node, log).hierarchy.root.attributes.get("conventions")
    # there are none: the root has no such attribute
    assert (log.facts, log.elsewhere) == (
        {"documents of the root": None},
        set(),
    )
    _ = traced(node, log).hierarchy.root.hierarchy.source
    assert log.elsewhere == {"root: hierarchy: source"}


def test_what_gets_past_the_tracing_finds_nothing() -> None:
    log = ReadLog()
    node = traced(_node(_array('{"a": 1}'), "a"), log)
    assert list(orjson.loads(orjson.dumps(node.attributes))) == ["\0 nobody reads this"]
    assert list(node.attributes) == ["a"]
    assert "a" in node.attributes
    assert log.attributes == {}
    for read in (dict, lambda held: {**held}, json.dumps, repr, lambda held: held == {"a": 1}):
        log.attributes.clear()
        assert read(node.attributes)
        assert log.attributes == {"a": None}


CHOICES = st.integers(0, 2**32 - 1).map(random.Random)
SUBTREES = subtrees()


@given(CHOICES, st.lists(st.sampled_from(SUBTREES), min_size=1, max_size=3))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_near_twins(
    monkeypatch: pytest.MonkeyPatch,
    choice: random.Random,
    trees: list[Subtree],
) -> None:
    """A few hierarchies and near twins of twins of them, in one store."""
    for tree in trees[:]:
        for _ in range(3):
            key = choice.choice(sorted(tree))
            tree = tree | {key: twin(tree[key], choice)}  # noqa: PLW2901  # each is made of the one before
            trees.append(tree)
    choice.shuffle(trees)
    with tempfile.TemporaryDirectory() as folder:
        old = any(key.endswith((".zgroup", ".zarray")) for key in trees[0])
        store = write(company(trees, ROOTS[2 if old else 3]), Path(folder))
        alone = _alone(store, monkeypatch)
        assert _differing(alone, _judged(*opened(store))) == []


@pytest.mark.parametrize("kind", ["consolidated", "consolidated v2"])
def test_a_check_that_does_not_keep_nodes_finds_the_same(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "LAZY_BYTES", 0)
    store = write(STORES[kind](), tmp_path)
    # what is compared with stored documents is not let go of
    asked: Any = {"ignore": ["NZ-CONS"], "progress": False, "values": "none"}
    kept, not_kept = (
        nz.check(source, **asked).to_dict() for source in (open_store(store), str(store))
    )
    assert len(kept["findings"]) > 500
    assert [not_kept[part] for part in kept] == list(kept.values())


def test_groups_that_hold_the_same_metadata_are_what_they_are_alone(tmp_path: Path) -> None:
    """Where they are equal around their attributes, whatever these are; and where they nearly are."""
    entries = dict(large.siblings(40))
    members = {"zarr_format": 3, "node_type": "group"}
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    text = json.dumps({"attributes": {"title": "x"}, **members, "consolidated_metadata": held})
    assert len(text) > templates.MOST_BYTES_OF_ONE
    given = {
        "plain": '{"title": "x"}', "other": '{"title": "y", "a": [1, {"b": null}]}', "none": "{}",
        "twice": '{"a": 1, "a": 2}', "deep twice": '{"a": {"b": 1, "b": 2}}', "NaN": '{"a": NaN}',
        "list": "[]", "text": '"x"', "null": "null", "broken": '{"a": }', "open": '{"a": 1',
        "long": '{"a": "' + 3000 * "x" + '"}', "more": '{"a": 1}, "b": {"c": 1}',
        "again": '{"a": 1}, "attributes": {"c": 1}', "units": '{"units": 1, "_FillValue": "x"}',
    }  # fmt: skip
    documents = {name: text.replace('{"title": "x"}', one, 1) for name, one in given.items()}
    documents |= {
        "cut": text[:-1],
        "stale": text.replace("float32", "float64", 1),
        "last": json.dumps({**members, "consolidated_metadata": held, "attributes": {"a": 1}}),
        "without": json.dumps({**members, "consolidated_metadata": held}),
        "repeats": text[:-1] + ', "node_type": "group"}',
    }
    store = {"zarr.json": json.dumps(members)}
    for name, document in documents.items():
        store |= {f"{number} {name}/zarr.json": document for number in range(2)}
    folder = write({key: one.encode() for key, one in store.items()}, tmp_path)
    found = []
    for sharing in (False, True):
        hierarchy, nodes = opened(folder, sharing=sharing)
        judged = _judged(hierarchy, nodes)
        for node in nodes:
            node.release()
        said = {
            node.path: (
                node.kind, node.state, node.problem, repr(node.attributes), node.documents[0].raw,
                node.documents[0].problems, json.dumps(node.metadata, default=dict),
            )
            for node in nodes
        }  # fmt: skip
        found.append((judged, said))
        shared = sum(node.documents[0]._outline is not None for node in nodes)
        assert (shared >= 8) == sharing
    assert _differing(found[0][0], found[1][0]) == []
    assert found[0][1] == found[1][1]
