"""Nothing that was under way while a store was read again, or edited, brings back what was there before."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.coordinate_reader import ByteBudget
from nz_explorer.model import Array, Group, Hierarchy, NodeNotFound, open_store
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.generation import Generations
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.window import read_window
from tests.network import Gate

GROUP: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


def array(units: str, name: str = "x") -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [3],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": [name],
        "attributes": {"units": units},
    }


def put(root: Path, path: str, document: dict[str, Any], *values: float) -> None:
    folder = root / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zarr.json").write_text(json.dumps(document), "utf-8")
    if values:
        (folder / "c").mkdir(exist_ok=True)
        (folder / "c" / "0").write_bytes(np.asarray(values, "<f4").tobytes())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "store.zarr"
    put(folder, "", GROUP)
    put(folder, "a", array("old"), 1, 2, 3)
    put(folder, "x", array("old"), 1, 2, 3)
    return folder


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.release()


class Running:
    """A call in a thread of its own."""

    def __init__(self, call: Callable[..., Any], *arguments: Any) -> None:
        self.result: Any = None
        self._thread = threading.Thread(target=self._run, args=(call, arguments), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            self.result = call(*arguments)
        except Exception as error:  # noqa: BLE001  # the test looks at it
            self.result = error

    def end(self) -> Any:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.result


def units(hierarchy: Hierarchy, path: str) -> Any:
    return hierarchy[path].attributes["units"]


# --- a hierarchy ---------------------------------------------------------------------------------


@pytest.mark.parametrize("held", ["a/zarr.json", "/"])
def test_children_under_way_while_the_root_is_read_again(root: Path, gate: Gate, held: str) -> None:
    hierarchy = open_store(gate.store(root))
    before = hierarchy.root
    gate.hold(held)
    under_way = Running(hierarchy.children, "/")
    gate.wait()
    put(root, "a", array("new"))
    put(root, "b", array("new"))
    hierarchy.refresh("/")
    gate.release()
    assert [node.name for node in under_way.end()] == ["a", "x"]
    assert units(hierarchy, "/a") == "new"
    assert [node.name for node in hierarchy.children("/")] == ["a", "b", "x"]
    # who holds the earlier root sees what it had, and nobody else does
    assert [n.attributes["units"] for n in before.arrays] == (  # type: ignore[attr-defined]
        ["old", "old"] if held == "a/zarr.json" else ["new", "old"]
    )


def test_nobody_waits_for_an_earlier_request_for_the_same_children(root: Path, gate: Gate) -> None:
    hierarchy = open_store(gate.store(root))
    gate.hold("a/zarr.json")
    under_way = Running(hierarchy.children, "/")
    gate.wait()
    hierarchy.refresh("/")
    assert [node.name for node in hierarchy.children("/")] == ["a", "x"]
    first = hierarchy["/a"]
    assert not gate.expired
    gate.release()
    under_way.end()
    assert hierarchy["/a"] is first


def test_a_node_that_is_gone_does_not_come_back(root: Path, gate: Gate) -> None:
    hierarchy = open_store(gate.store(root))
    gate.hold("a/zarr.json")
    under_way = Running(hierarchy.children, "/")
    gate.wait()
    shutil.rmtree(root / "a")
    put(root, "b", array("new"))
    with pytest.raises(NodeNotFound):
        hierarchy.refresh("/a")
    hierarchy.refresh("/b")
    gate.release()
    assert [node.name for node in under_way.end()] == ["x", "b"]
    assert "/a" not in hierarchy
    assert units(hierarchy, "/b") == "new"


def test_a_request_under_way_is_not_waited_for_when_a_node_is_read_again(
    root: Path, gate: Gate
) -> None:
    hierarchy = open_store(gate.store(root))
    gate.hold("a/zarr.json")
    under_way = Running(hierarchy.peek, "/a")
    gate.wait()
    put(root, "a", array("new"))
    assert hierarchy.refresh("/a").attributes["units"] == "new"
    assert not gate.expired
    gate.release()
    assert under_way.end().attributes["units"] == "old"
    assert units(hierarchy, "/a") == "new"


@pytest.mark.parametrize(("path", "held"), [("/a", "a/zarr.json"), ("/", "zarr.json")])
def test_of_two_who_read_again_the_later_one_counts(
    root: Path, gate: Gate, path: str, held: str
) -> None:
    hierarchy = open_store(gate.store(root))
    gate.hold(held)
    earlier = Running(hierarchy.refresh, path)
    gate.wait()
    document = array("new") if path == "/a" else {**GROUP, "attributes": {"units": "new"}}
    put(root, path[1:], document)
    later = hierarchy.refresh(path)
    gate.release()
    assert earlier.end() is later
    assert units(hierarchy, path) == "new"


def test_an_edit_is_not_undone_by_children_under_way(root: Path, gate: Gate) -> None:
    base = open_store(gate.store(root))
    overlay = OverlayReader(base.reader)
    fork = base.fork(overlay)
    gate.hold("a/zarr.json")
    under_way = Running(fork.children, "/")
    gate.wait()
    overlay.override("a/zarr.json", json.dumps(array("edited")).encode())
    fork.reread("/a")
    gate.release()
    under_way.end()
    assert units(fork, "/a") == "edited"
    assert units(fork, "/x") == "old"


def test_a_zip_file_is_opened_again(root: Path, tmp_path: Path) -> None:
    def pack(name: str) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for file in sorted(root.rglob("*")):
                archive.write(file, file.relative_to(root))
        return tmp_path / name

    hierarchy = open_store(pack("store.zip"))
    cache = ChunkCache()
    assert window(hierarchy, cache) == [1, 2, 3]
    put(root, "a", array("new"), 4, 5, 6)
    pack("other.zip").replace(tmp_path / "store.zip")
    hierarchy.refresh("/")
    assert units(hierarchy, "/a") == "new"
    assert window(hierarchy, cache) == [4, 5, 6]
    (tmp_path / "store.zip").write_bytes(b"PK broken")
    with pytest.raises(Exception, match="not a readable zip file"):
        hierarchy.refresh("/")
    assert window(hierarchy, cache) == [4, 5, 6]


def test_a_folder_that_has_become_a_link_out_of_the_store_is_noticed(
    root: Path, tmp_path: Path
) -> None:
    hierarchy = open_store(root)
    assert units(hierarchy, "/a") == "old"
    shutil.move(root / "a", tmp_path / "outside")
    (root / "a").symlink_to(tmp_path / "outside")
    node = hierarchy.refresh("/a")
    assert node.state == "unreadable"
    assert "symbolic link" in (node.problem or "")


def test_generations_count_by_node_and_by_what_is_above() -> None:
    generations = Generations()
    first = generations.now
    assert generations.counts("/a/b", first)
    second = generations.begin()
    assert second > first
    assert generations.supersede("/a", second)
    assert not generations.counts("/a", first)
    assert not generations.counts("/a/b", first)
    assert generations.counts("/a/b", second)
    assert generations.counts("/ab", first)
    assert generations.counts("/", first)
    third = generations.begin()
    assert generations.supersede("/c", third, below=False)
    assert not generations.counts("/c", second)
    assert generations.counts("/c/d", second)
    assert generations.counts("/a", second)
    # what was read of a node before it was read again later does not count
    assert not generations.supersede("/c", second, below=False)
    fourth = generations.begin()
    assert generations.supersede("/", fourth)
    assert not generations.counts("/ab", third)
    assert Generations().now > fourth


# --- values and verdicts -------------------------------------------------------------------------


def window(hierarchy: Hierarchy, cache: ChunkCache) -> list[float]:
    node = hierarchy["/a"]
    assert isinstance(node, Array)
    found: list[float] = read_window(node, (0,), {}, (3,), cache=cache).values.tolist()
    return found


def test_a_chunk_under_way_is_not_kept_for_the_array_that_was_read_again(
    root: Path, gate: Gate
) -> None:
    hierarchy, cache = open_store(gate.store(root)), ChunkCache()
    hierarchy.children("/")
    gate.hold("a/c/0")
    under_way = Running(window, hierarchy, cache)
    gate.wait()
    put(root, "a", array("old"), 4, 5, 6)
    hierarchy.refresh("/a")
    gate.release()
    assert under_way.end() == [1, 2, 3]
    assert window(hierarchy, cache) == [4, 5, 6]


def test_chunks_are_shared_with_the_edits_of_other_nodes(root: Path, gate: Gate) -> None:
    hierarchy, cache = open_store(gate.store(root)), ChunkCache()
    assert window(hierarchy, cache) == [1, 2, 3]
    what_if = WhatIf(evaluate(hierarchy, values="none"))
    what_if.set("/x", "/attributes/units", "K")
    gate.requests.clear()
    assert window(what_if.hierarchy, cache) == [1, 2, 3]
    assert "a/c/0" not in gate.requests
    what_if.set("/a", "/data_type", "int32")
    assert window(what_if.hierarchy, cache) == np.asarray([1, 2, 3], "<f4").view("<i4").tolist()
    assert window(hierarchy, cache) == [1, 2, 3]


def test_values_under_way_do_not_become_the_verdict_on_an_array_that_was_read_again(
    root: Path, gate: Gate
) -> None:
    hierarchy = open_store(gate.store(root))
    evaluation = evaluate(hierarchy)
    evaluation.run()
    assert evaluation.monotonicity("/x").result == "increasing"  # type: ignore[union-attr]
    gate.hold("x/c/0")
    under_way = Running(evaluation.value_rules, hierarchy["/x"])
    gate.wait()
    put(root, "x", array("old"), 3, 3, 3)
    hierarchy.refresh("/x")
    evaluation.forget("/x")
    gate.release()
    assert under_way.end().result == "increasing"
    assert evaluation.monotonicity("/x") is None
    assert "/x" not in evaluation
    evaluation.run()
    assert evaluation.monotonicity("/x").result == "not"  # type: ignore[union-attr]


def test_what_was_read_of_an_edited_array_is_no_verdict_on_the_stored_one(root: Path) -> None:
    evaluation = evaluate(open_store(root))
    evaluation.run()
    what_if = WhatIf(evaluation)
    what_if.set("/x", "/attributes/_FillValue", 2)
    edited, stored = what_if.hierarchy["/x"], evaluation.hierarchy["/x"]
    assert isinstance(edited, Array)
    assert isinstance(stored, Array)
    assert evaluation.value_rules(edited).result == "missing"  # type: ignore[union-attr]
    assert evaluation.monotonicity("/x").result == "increasing"  # type: ignore[union-attr]
    assert what_if.evaluation.value_rules(stored).result == "increasing"  # type: ignore[union-attr]
    assert what_if.evaluation.monotonicity("/x").result == "missing"  # type: ignore[union-attr]


def test_forgetting_gives_back_what_the_values_took(root: Path) -> None:
    evaluation = evaluate(open_store(root))
    evaluation.run()
    left = evaluation.byte_budget.left
    evaluation.forget("/x")
    assert evaluation.byte_budget.left == left + 12


def test_waiting_for_an_allowance_can_be_cancelled() -> None:
    byte_budget, cancel = ByteBudget(100), Cancellation()
    granted = byte_budget.reserve(60)
    waiting = Running(byte_budget.reserve, 60, cancel)
    cancel.cancel()
    assert isinstance(waiting.end(), Cancelled)
    assert byte_budget.left == 40
    byte_budget.settle(granted, 60)
    assert byte_budget.reserve(60, Cancellation()) == 40


# --- edits ---------------------------------------------------------------------------------------


def test_nobody_waits_while_the_store_is_read_again_after_writing(root: Path, gate: Gate) -> None:
    evaluation = evaluate(open_store(gate.store(root)))
    evaluation.run()
    what_if = WhatIf(evaluation)
    what_if.set("/a", "/attributes/units", "written")
    put(root, "a", array("written"))
    gate.hold("zarr.json")
    under_way = Running(what_if.refresh)
    gate.wait()
    assert what_if.evaluation.findings("/a", below=False) is not None
    what_if.set("/x", "/attributes/units", "tried meanwhile")
    assert [edit.key for edit in what_if.edits] == ["x/zarr.json"]
    assert not gate.expired
    gate.release()
    assert under_way.end() is None
    assert units(what_if.base.hierarchy, "/a") == "written"
    assert units(what_if.hierarchy, "/a") == "written"
    assert units(what_if.hierarchy, "/x") == "tried meanwhile"
    assert [edit.key for edit in what_if.edits] == ["x/zarr.json"]


def test_an_edit_of_a_document_that_has_changed_is_kept_and_told_of(root: Path) -> None:
    evaluation = evaluate(open_store(root))
    evaluation.run()
    what_if = WhatIf(evaluation)
    what_if.set("/a", "/attributes/units", "mine")
    what_if.set("/x", "/attributes/units", "mine")
    before = {edit.key: edit for edit in what_if.edits}
    put(root, "a", array("theirs"))
    evaluation.hierarchy.refresh("/")
    evaluation.forget("/")
    evaluation.run()
    said = what_if.make_again()
    assert len(said) == 1
    assert said[0].startswith("a/zarr.json was changed in the store")
    # which does not look as if theirs had been there when it was made
    assert {edit.key: edit for edit in what_if.edits} == before
    assert units(what_if.hierarchy, "/x") == "mine"


def test_verdicts_are_not_complete_while_an_edit_is_evaluated(root: Path, gate: Gate) -> None:
    evaluation = evaluate(open_store(gate.store(root)))
    evaluation.run()
    what_if = WhatIf(evaluation)
    assert what_if.evaluation.complete
    gate.hold("x/c/0")
    under_way = Running(what_if.set, "/x", "/attributes/_FillValue", 2)
    gate.wait()
    assert not what_if.evaluation.complete
    assert what_if.evaluation.conforms["NZ-1.0"] is not True
    assert what_if.steps == 0
    assert not gate.expired
    gate.release()
    under_way.end()
    assert what_if.evaluation.complete
    assert isinstance(what_if.hierarchy.root, Group)


def test_edits_are_there_while_they_are_made_again(root: Path, gate: Gate) -> None:
    evaluation = evaluate(open_store(gate.store(root)))
    what_if = WhatIf(evaluation).set("/x", "/attributes/units", "tried")
    put(root, "a", array("new"))
    evaluation.hierarchy.refresh("/")
    evaluation.forget("/")
    gate.hold("a/zarr.json")
    under_way = Running(what_if.make_again)
    gate.wait()
    assert what_if.steps == 1
    assert what_if.hierarchy["/x"].attributes["units"] == "tried"
    assert what_if.hierarchy["/a"].attributes["units"] == "old"
    assert not gate.expired
    gate.release()
    assert under_way.end() == []
    assert what_if.hierarchy["/x"].attributes["units"] == "tried"
    assert what_if.hierarchy["/a"].attributes["units"] == "new"
