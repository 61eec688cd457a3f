"""Stores of very many files, nodes, levels or values: the work for each stays the same, or it is a state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.conventions.zarr3 import consolidated as zarr3_consolidated
from nz_explorer.documents import decoding, positions
from nz_explorer.documents.decoding import decode
from nz_explorer.documents.document import Document
from nz_explorer.documents.positions import scan
from nz_explorer.engine.evaluation import evaluation
from nz_explorer.engine.plan import Plan
from nz_explorer.model import Array, Group, Hierarchy, consolidated, open_store
from nz_explorer.model.hierarchy import children
from nz_explorer.netcdf import cdl
from nz_explorer.plots import make
from nz_explorer.report import tree_text
from nz_explorer.store import Cancellation
from tests.hostile.cases import ARRAY, GROUP, Memory

ROOT = {"zarr_format": 3, "node_type": "group", "attributes": {"conventions": "NZ-1.0"}}


def holding(entries: dict[str, Any]) -> Memory:
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    return Memory({"zarr.json": json.dumps({**ROOT, "consolidated_metadata": held}).encode()})


def decoded(nodes: Hierarchy) -> int:
    """Return how many nodes below the root hold a decoded document."""
    return sum(
        any(
            held not in (None, *NOT_DECODED)
            for document in node.documents
            for held in (document._value, document._attributes)
        )
        for node in nodes.walk()
        if node.path != "/"
    )


NOT_DECODED = (Document("", "", b"")._value,)


# --- many ---------------------------------------------------------------------------------------


def test_plain_files_in_a_group_are_not_asked_for_nodes(tmp_path: Path) -> None:
    (tmp_path / "zarr.json").write_text(json.dumps(ROOT))
    for number in range(500):
        (tmp_path / f"file{number}").touch()
    (tmp_path / "empty").mkdir()
    nodes = open_store(tmp_path)
    before = nodes.reader.counters.requests
    assert nodes.children("/") == []
    assert nodes.reader.counters.requests - before < 10
    assert isinstance(nodes.root, Group)
    assert len(nodes.root.other_names) == 502


def test_a_link_to_a_node_is_one(tmp_path: Path) -> None:
    for name in ("", "real"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "zarr.json").write_text(json.dumps(ROOT))
    (tmp_path / "link").symlink_to("real")
    assert [node.path for node in open_store(tmp_path).walk()] == ["/", "/link", "/real"]


@pytest.mark.parametrize("stored", [True, False])
def test_of_a_large_group_few_documents_stay_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    monkeypatch.setattr(children, "DECODED_AT_ONCE", 20)
    entries = {f"a{n}": {**ARRAY, "attributes": {"long_name": f"{n}"}} for n in range(100)}
    if stored:
        store = Memory({"zarr.json": json.dumps(ROOT).encode(), **{f"{k}/zarr.json": json.dumps(v).encode() for k, v in entries.items()}})  # fmt: skip
    else:
        store = holding(entries)
    nodes = open_store(store)
    assert len(nodes.children("/")) == 100
    assert decoded(nodes) == 20
    assert [node.attributes["long_name"] for node in nodes.children("/")] == [
        document["attributes"]["long_name"] for _, document in sorted(entries.items())
    ]
    nz.check(nodes, values="none", progress=False, ignore=["NZ-CONS"])
    assert decoded(nodes) == 0


@pytest.mark.parametrize("rule", ["Z3-CM-002", "JSON-004", "NZ-DIM-010"])
def test_rules_on_very_many_nodes_end_when_nobody_wants_them(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule on 300,000 nodes takes a second: it is left, and nothing is said of it."""
    monkeypatch.setattr(decoding, "LAZY_BYTES", 0)
    evaluation = evaluate(open_store(holding({"a": ARRAY})), select=[rule], values="none")
    cancel = Cancellation()
    plan, number = Plan.run if rule == "NZ-DIM-010" else Plan.run_node, []

    def run(*args: Any) -> Any:
        number.append(1)
        cancel.cancel()
        return plan(*args)

    monkeypatch.setattr(Plan, plan.__name__, run)
    evaluation.run(cancel)
    assert number == [1]
    assert not evaluation.complete
    assert [one for one in evaluation.not_evaluated() if "internal error" in one.reason] == []


def test_what_is_decoded_again_is_the_same() -> None:
    for text in (
        '{"a": 12345678901234567890123, "b": 1.0, "c": [true, null]}',
        '{"a": "\\ud800", "b": {"a": 1}}',
        '{"a": 1e400}',
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        "[1]",
        '{"a": ' + "[" * 300 + "]" * 300 + "}",
    ):
        one = Document("zarr.json", "zarr.json", text.encode())
        value, problems = one.value, one.problems
        one.release()
        assert repr(one.value) == repr(value)
        assert one.problems == problems


# --- deep ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [True, False])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_path_of_2000_levels_is_a_finding(each: bool, zarr_format: int) -> None:
    paths = ["/".join(["g"] * levels) for levels in (range(1, 2001) if each else [2000])]
    if zarr_format == 3:
        store = holding(dict.fromkeys(paths, GROUP))
    else:
        entries = {f"{path}/.zgroup": {"zarr_format": 2} for path in paths}
        held = {"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, **entries}}  # fmt: skip
        store = Memory({".zgroup": b'{"zarr_format": 2}', ".zmetadata": json.dumps(held).encode()})
    report = nz.check(store, progress=False)
    assert any("more than 256 levels deep" in finding.message for finding in report.findings)
    assert report.to_text()
    nodes = open_store(store)
    assert len(list(nodes.walk())) == (257 if each else 1)
    assert list(tree_text.lines(nodes))
    assert cdl(nodes.root)


@pytest.mark.parametrize("levels", [consolidated.MAX_DEPTH, consolidated.MAX_DEPTH + 1])
def test_levels_up_to_the_limit_are_read(levels: int) -> None:
    nodes = open_store(holding({"/".join(["g"] * levels): GROUP}))
    assert nodes.consolidated is not None
    assert len(nodes.consolidated.rejected) == levels - consolidated.MAX_DEPTH


def test_stored_levels_up_to_the_limit_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_DEPTH", 3)
    store = Memory({f"{'g/' * level}zarr.json": json.dumps(GROUP).encode() for level in range(6)})
    last = list(open_store(store).walk())[-1]
    assert last.path == "/g/g/g"
    assert isinstance(last, Group)
    assert "more than 3 levels" in str(last.listing_problem)


def test_paths_of_groups_that_keys_only_name_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"a{number}/b/c/d" for number in range(50)]
    monkeypatch.setattr(consolidated, "MAX_GROUP_PATHS", 120)
    nodes = open_store(holding(dict.fromkeys(paths, GROUP)))
    assert nodes.consolidated is not None
    kept = [path for path in paths if f"/{path}" in nodes.consolidated]
    assert sum(len(group) for group in nodes.consolidated._children) <= 120
    assert 0 < len(kept) < 50
    assert "too long" in nodes.consolidated.rejected["a49/b/c/d"]
    assert nz.check(nodes, progress=False).counts.error


def test_plain_keys_and_others_are_indexed_alike() -> None:
    paths = ["b/x/y", "a", "b", "a/v", "c/d", "a/v", "z.r", "é/ü"]
    plain = open_store(holding(dict.fromkeys(paths, GROUP))).consolidated
    others = open_store(holding({**dict.fromkeys(paths, GROUP), "../x": GROUP})).consolidated
    assert plain is not None
    assert others is not None
    assert plain._keys == others._keys
    assert plain._children == others._children
    assert (len(plain.rejected), len(others.rejected)) == (0, 1)


# --- much in one document -------------------------------------------------------------------------


def limit_of(raw: bytes) -> str | None:
    """Return what is said of a document that is too much to be decoded, None if it is decoded."""
    value, problems = decode(raw, "zarr.json")
    found = [problem.message for problem in problems if problem.kind == "limit"]
    assert (value is None) == bool(found)
    return found[0] if found else None


@pytest.fixture
def lazy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(decoding, "LAZY_BYTES", 0)
    return monkeypatch


def test_bytes_up_to_the_limit_are_decoded(lazy: pytest.MonkeyPatch) -> None:
    raw = b'{"a": "' + b"x" * 100 + b'"}'
    lazy.setattr(decoding, "MAX_BYTES", len(raw))
    assert limit_of(raw) is None
    assert "110 bytes; more than 109 are not decoded" in str(limit_of(raw + b" "))
    held = raw[:-1] + b', "consolidated_metadata": NaN}'
    lazy.setattr(decoding, "MAX_BYTES_OF_HOLDER", len(held))
    assert limit_of(held) is None
    assert "are not decoded" in str(limit_of(held + b" "))


@pytest.mark.parametrize("extra", ["", ', "consolidated_metadata": NaN'])
def test_values_and_keys_up_to_the_limit_are_decoded(lazy: pytest.MonkeyPatch, extra: str) -> None:
    raw = ('{"a": [1, 2, 3], "b": {"c": ",[{:\\\\\\",{" ' + "}" + extra + "}").encode()
    number = 10 + (2 if extra else 0)  # seven values and three keys
    name = "MAX_VALUES_OF_HOLDER" if extra else "MAX_VALUES"
    lazy.setattr(decoding, name, number)
    assert limit_of(raw) is None
    lazy.setattr(decoding, name, number - 1)
    assert f"has {number} values and keys" in str(limit_of(raw))


@pytest.mark.parametrize("block", [1, 2, 3, 7, 2**24])
def test_structure_is_found_outside_of_strings(lazy: pytest.MonkeyPatch, block: int) -> None:
    lazy.setattr(decoding, "BLOCK", block)
    text = '{"a\\"{": ["x,[", "\\\\", {}, "\\\\\\""], "é": ":"}'
    assert b"".join(decoding._structure(text.encode())) == b"{:[,,{},],:}"


@pytest.mark.parametrize("where", ["zarr.json", ".zmetadata"])
@pytest.mark.parametrize("number", [50, 51])
def test_entries_up_to_the_limit_are_indexed(
    lazy: pytest.MonkeyPatch, where: str, number: int
) -> None:
    entries = {f"n{n}/.zgroup": {"zarr_format": 2, "x": {"y": 1}} for n in range(number)}
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    if where == "zarr.json":
        whole: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": held}  # fmt: skip
        others = 0
    else:
        whole, others = {"zarr_consolidated_format": 1, "metadata": entries}, 2
    lazy.setattr(decoding, "FEW_MEMBERS", 0)
    lazy.setattr(decoding, "MAX_ENTRIES", 50 + others)
    value, problems = decode(json.dumps(whole).encode())
    assert not problems
    found = (value["consolidated_metadata"] if where == "zarr.json" else value)["metadata"]
    assert isinstance(found, decoding.Entries) == (number == 50)
    assert len(found) == number


@pytest.mark.parametrize("where", ["key", "member", "value"])
def test_a_large_document_that_is_not_utf8_is_a_state(where: str) -> None:
    store = holding({f"n{n}": GROUP for n in range(1000)})
    old, new = {
        "key": (b'"n500"', b'"\xbb500"'),
        "member": (b'"n500": {"zarr_format"', b'"n500": {"\xbbarr_format"'),
        "value": (b'"n500": {"zarr_format": 3', b'"n500": {"zarr_format": "\xbb"'),
    }[where]
    raw = store.data["zarr.json"]
    assert len(raw) > decoding.LAZY_BYTES
    assert old in raw
    report = nz.check(Memory({"zarr.json": raw.replace(old, new)}), progress=False)
    assert report.counts.error
    assert report.to_text()


def test_a_key_repeated_among_many_is_found() -> None:
    text = "{" + ",".join(f'"k{n}":0' for n in range(30_000)) + ',"k7":1}'
    with mock.patch.object(positions, "SCAN_LIMIT", 0):
        (problem,) = decode(text.encode())[1]
    assert problem.detail == {"key": "k7", "count": 2}


def test_line_breaks_cost_nothing() -> None:
    text = "\n" * 200_000 + '{"a": 1,\n"b" 2}'
    (problem,) = decode(text.encode())[1]
    assert (problem.line, problem.column) == (200_002, 5)
    assert problem.detail["excerpt"] == '"b" 2}\n    ^'


def test_places_below_long_keys_are_not_looked_for() -> None:
    text = json.dumps({"k" * 1_000_000: [0] * 1000})
    one = Document("zarr.json", "zarr.json", text.encode())
    assert one.scan() is None
    assert one.span("") is None
    assert one.ok


def test_pointers_up_to_the_limit_are_found() -> None:
    text = '{"abc": [0, 0]}'  # "", "/abc", "/abc/0", "/abc/1"
    with mock.patch("nz_explorer.documents.positions.MAX_POINTERS", 16):
        assert scan(text).places["/abc/1"]
        one = Document("zarr.json", "zarr.json", b'{"abcd": [0, 0]}')
        assert one.scan() is None


CHECK = """
import resource, sys
import nz_explorer as nz
from pathlib import Path
nz.check({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'}, progress=False)
now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))
for name in sys.argv[1:]:
    print(nz.check(name, progress=False).evaluation.hierarchy.root.problem)
"""


def test_documents_that_would_take_all_memory_are_refused_before(tmp_path: Path) -> None:
    """12 MB each, in 256 MiB more than it takes to import all: lists alone would take 300 MiB."""
    head, tail = b'{"zarr_format":3,"node_type":"group","attributes":{"x":', b"}}"
    million = 1_000_000
    bodies = {
        "lists": b"[" + b"[]," * 4 * million + b"0]",
        "objects": b"[" + b'{"a":0},' * 1_500_000 + b"0]",
        "keys": b"{" + b",".join(b'"%06x":0' % n for n in range(million + 1)) + b"}",
        "deep": b"[" * 6 * million + b"]" * 6 * million,
    }
    for name, body in bodies.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "zarr.json").write_bytes(head + body + tail)
    command = [sys.executable, "-c", CHECK, *(str(tmp_path / name) for name in bodies)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(bodies)
    assert all("values and keys; more than 2,000,000 are not decoded" in text for text in said)


def test_many_codecs_are_not_given_to_zarr() -> None:
    def array(number: int) -> Memory:
        gzip = {"name": "gzip", "configuration": {"level": 1}}
        codecs = [ARRAY["codecs"][0], *[gzip] * (number - 1)]
        return Memory({"zarr.json": json.dumps({**ARRAY, "codecs": codecs, "attributes": {}}).encode()})  # fmt: skip

    with mock.patch("zarr.Array.from_dict", side_effect=ValueError("asked")) as zarr:
        assert "more than 100 codecs" in str(make(open_store(array(101)), "/", {}).message)
        assert not zarr.called
        make(open_store(array(100)), "/", {})
        assert zarr.called
    assert nz.check(array(3000), progress=False).nodes["arrays"] == 1


@pytest.mark.parametrize("number", [256, 257, 3000])
def test_many_dimensions_are_numbered(number: int) -> None:
    names = [f"d{n}" for n in range(number)]
    shape = {"shape": [1] * number, "dimension_names": names}
    document = {**ARRAY, **shape, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1] * number}}}  # fmt: skip
    nodes = open_store(Memory({"zarr.json": json.dumps(document).encode()}))
    assert isinstance(nodes.root, Array)
    assert nodes.root.dimension_label(1) == ("d1" if number == 256 else "dim_1")
    assert "more dimensions" in str(make(nodes, "/", {}).message)


# --- entries without documents ------------------------------------------------------------------


def test_entries_without_documents_are_reported_up_to_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation, "MOST_GHOSTS", 5)
    verdicts = evaluate(open_store(holding({f"a{n}": GROUP for n in range(12)})), values="none")
    verdicts.run()
    assert len([f for f in verdicts.findings() if f.rule == "NZ-CONS-004"]) == 5
    left_out = {one.rule: one.reason for one in verdicts.not_evaluated()}
    assert left_out["NZ-CONS-004"] == "budget"
    assert not verdicts.complete
    assert verdicts.compares


def test_odd_entries_are_reported_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zarr3_consolidated, "MOST_ODD_ENTRIES", 5)
    for number, undecided in ((5, False), (6, True)):
        nodes = open_store(holding({f"a{n}": 1 for n in range(number)}))
        verdicts = evaluate(nodes, values="none")
        verdicts.run()
        assert len([f for f in verdicts.findings() if f.rule == "Z3-CM-002"]) == 5
        assert undecided == ("Z3-CM-002" in {one.rule for one in verdicts.not_evaluated()})


def test_comparing_entries_can_be_stopped_and_tells_how_far_it_is() -> None:
    cancel = Cancellation()
    seen: list[tuple[int, int | None]] = []

    def progress(what: str, done: int, total: int | None) -> None:
        if what == "entries":
            seen.append((done, total))
            cancel.cancel()

    verdicts = evaluate(open_store(holding({f"a{n}": GROUP for n in range(1200)})), values="none")
    verdicts.run(cancel, progress)
    assert seen == [(0, 1200)]
    assert not verdicts.complete
    assert len([f for f in verdicts.findings() if f.rule == "NZ-CONS-004"]) <= 500
