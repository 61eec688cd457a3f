"""What is shown is what the store holds, or what edits make of it: never what was there before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.diagnosis import Trial
from nz_explorer.report.store_diff import compare
from tests.model.test_generations import GROUP, array, put
from tests.network import Gate
from tests.widget.conftest import SECONDS, Browse, Browser


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


def paths(found: dict[str, Any]) -> list[str]:
    return [row["path"] for row in found["rows"]]


def counted(browser: Browser, path: str) -> dict[str, int]:
    """Go through all values of an array, and return how many are in which state."""
    browser.ask("scan", path=path, action="start")
    for known in list(browser.session.scans._scans.values()):
        assert known.thread is not None
        known.thread.join(SECONDS)
    found = browser.ask("scan", path=path, action="status")
    assert found["phase"] == "done"
    return {one["state"]: one["count"] for one in found["states"]}


def test_search_finds_what_is_there_after_a_retry(browse: Browse, root: Path) -> None:
    browser = browse(root)
    assert paths(browser.ask("search", query="attr:units=old")) == ["/a", "/x"]
    put(root, "a", array("new"), 1, 2, 3)
    browser.ask("retry", path="/a")
    assert browser.session.wait(SECONDS)
    assert paths(browser.ask("search", query="attr:units=old")) == ["/x"]
    assert paths(browser.ask("search", query="attr:units=new")) == ["/a"]
    # also where someone has read it again in Python
    put(root, "x", array("new"), 1, 2, 3)
    assert paths(browser.ask("search", query="attr:units=old")) == ["/x"]
    browser.session.base.hierarchy.refresh("/x")
    assert paths(browser.ask("search", query="attr:units=old")) == []


def test_statistics_mask_what_the_picture_masks(browse: Browse, root: Path) -> None:
    browser = browse(root)
    assert counted(browser, "/a") == {"value": 3}
    browser.session.what_if.set("/a", "/attributes/_FillValue", 2)
    assert browser.ask("scan", path="/a", action="status")["phase"] == "none"
    assert counted(browser, "/a") == {"fill": 1, "value": 2}
    browser.session.show_edits(False)
    known = browser.ask("scan", path="/a", action="status")
    assert known["phase"] == "done"
    assert [one["state"] for one in known["states"]] == ["value"]


def test_a_scan_under_way_does_not_speak_of_an_array_that_was_edited(
    browse: Browse, root: Path, gate: Gate
) -> None:
    browser = browse(gate.store(root))
    gate.hold("a/c/0")
    browser.ask("scan", path="/a", action="start")
    gate.wait()
    (scan,) = browser.session.scans._scans.values()
    browser.session.what_if.set("/a", "/attributes/_FillValue", 2)
    gate.release()
    assert scan.thread is not None
    scan.thread.join(SECONDS)
    assert not any(event["event"] == "scan" for event in browser.events)
    assert browser.ask("scan", path="/a", action="status")["phase"] == "none"


def test_children_asked_for_before_a_retry_are_told_as_they_are_after_it(
    browse: Browse, root: Path, gate: Gate
) -> None:
    browser = browse(gate.store(root), walk=False)
    gate.hold("a/zarr.json")
    asked = browser.send("children", path="/")
    gate.wait()
    put(root, "a", {**array("new"), "shape": [7]})
    put(root, "b", array("new"))
    browser.ask("retry", path="/")
    gate.release()
    message, _ = browser.answer()
    assert message["id"] == asked
    rows = message["result"]["rows"]
    assert [(row["name"], row["shape"]) for row in rows] == [("a", [7]), ("b", [3]), ("x", [3])]


def test_the_walk_is_not_resumed_while_the_store_is_read_again(
    browse: Browse, root: Path, gate: Gate
) -> None:
    browser = browse(gate.store(root))
    gate.hold("zarr.json")
    asked = browser.send("retry", path="/")
    gate.wait()
    gate.requests.clear()
    browser.ask("walk", action="resume")
    assert browser.session.wait(SECONDS)
    # the other documents that a root may have are asked for beside the one that is held
    assert [key for key in gate.requests if "/" in key] == []
    assert not gate.expired
    gate.release()
    message, _ = browser.answer()
    assert message["id"] == asked
    assert browser.session.wait(SECONDS)
    assert gate.requests.count("a/zarr.json") == 1
    assert browser.session.base.complete


def test_a_retry_that_fails_does_not_end_the_walk(browse: Browse, root: Path, gate: Gate) -> None:
    browser = browse(gate.store(root), walk=False)
    gate.hold("a/zarr.json")
    browser.session.start()
    gate.wait()
    hidden = (root / "zarr.json").rename(root / "hidden")
    moved = [folder.rename(root.parent / folder.name) for folder in (root / "a", root / "x")]
    assert browser.refused("retry", path="/")["code"] == "unreadable"
    hidden.rename(root / "zarr.json")
    for folder in moved:
        folder.rename(root / folder.name)
    assert browser.session.wait(SECONDS)
    assert browser.session.base.complete


def test_what_was_compared_and_tried_before_a_retry_is_not_shown(
    browse: Browse, root: Path, sample_store: Path
) -> None:
    browser = browse(root)
    session = browser.session
    session.keep_comparison(session.base.hierarchy.generation, compare(session.base, sample_store))
    session.trials.done = [Trial("zarr-python", "reads")]
    serial = session.summary().edits.serial
    browser.ask("retry", path="/a")
    assert session.comparison is None
    assert session.trials.done == []
    assert session.summary().edits.serial > serial


def test_edits_are_made_again_of_what_a_retry_has_read(browse: Browse, root: Path) -> None:
    browser = browse(root)
    browser.session.what_if.set("/x", "/attributes/units", "tried")
    browser.session.show_edits(True)
    put(root, "a", array("new"), 1, 2, 3)
    browser.ask("retry", path="/a")
    shown = browser.session.hierarchy
    assert shown["/a"].attributes["units"] == "new"
    assert shown["/x"].attributes["units"] == "tried"
    put(root, "x", array("theirs"), 1, 2, 3)
    browser.ask("retry", path="/x")
    assert browser.session.wait(SECONDS)
    browser.session.conversation.pool.shutdown()  # after the walk they were made once more
    assert "x/zarr.json was changed in the store" in (browser.session.outcome or "")
    (edit,) = browser.session.what_if.edits
    assert b'"old"' in (edit.before or b"")
