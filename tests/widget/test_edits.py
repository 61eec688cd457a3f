"""Edits from the widget: tried, shown everywhere, taken back, saved when that was allowed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import zarr

import nz_explorer as nz
from tests.conftest import digest
from tests.store.test_writing import plant
from tests.widget.conftest import Browse, Browser
from tests.widget.test_pages import blocks, explain, finding, page, said


def act(browser: Browser, name: str, path: str = "/", **params: object) -> dict[str, object]:
    done: dict[str, object] = browser.ask("act", name=name, path=path, params=params)
    return done


def press(browser: Browser, found: object, label: str, path: str = "/") -> dict[str, object]:
    """Do what the button of a page says."""
    buttons = [a for block in blocks(found, "actions") for a in block["actions"]]
    button = next(one for one in buttons if one["label"] == label)
    return act(browser, button["name"], path, **button["params"])


def rules(browser: Browser) -> list[str]:
    return [one["rule"] for one in browser.ask("findings", path="/")["findings"]]


def test_a_fix_is_tried_everywhere_and_taken_back(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    before = rules(browser)
    found = finding(browser, "NZ-FILL-005")
    assert page(browser, "edits") == []
    done = press(browser, explain(browser, found), "Try it", found["path"])
    assert done["panel"] == "changes"
    summary = browser.ask("open")
    assert (summary["edits"]["steps"], summary["edits"]["shown"]) == (1, True)
    assert "then xarray ✗" in " ".join(said(page(browser, "edits")).split())
    assert "NZ-FILL-005" not in rules(browser)
    # documents and pictures are those with the edit
    (stored, *_) = browser.ask("document", path=found["path"])["documents"]
    on_disk = (broken_store / found["path"].strip("/") / "zarr.json").read_text()
    assert stored["text"] != on_disk
    changes = page(browser, "changes", found["path"])
    assert "Gone findings" in said(changes)
    assert any(code["language"] == "diff" for code in blocks(changes, "code"))
    assert len(list(blocks(changes, "picture"))) == 2
    assert "read-only" in said(changes)
    # as it is stored, at any time
    act(browser, "show edits", shown=False)
    assert rules(browser) == before
    act(browser, "show edits", shown=True)
    act(browser, "undo")
    assert rules(browser) == before
    assert browser.ask("open")["edits"]["steps"] == 0


def test_the_bar_says_who_opens_it_then(browse: Browse, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", attributes={"conventions": "NZ-1.0"})
    root.create_array("t", data=np.zeros(3), attributes={"_ARRAY_DIMENSIONS": ["x"]})
    browser = browse(tmp_path / "s.zarr")
    found = finding(browser, "NZ-DIM-001")
    press(browser, explain(browser, found), "Try it", found["path"])
    assert "then xarray ✓" in " ".join(said(page(browser, "edits")).split())
    act(browser, "undo")
    assert page(browser, "edits") == []


def test_safe_fixes_are_tried_at_once(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    before = len(rules(browser))
    press(browser, page(browser, "changes"), "Try all safe fixes")
    assert "fixed in memory" in said(page(browser, "changes"))
    assert len(rules(browser)) < before
    act(browser, "reset")
    assert len(rules(browser)) == before


def test_a_fix_that_would_stop_a_reader_is_not_kept_and_it_is_said_why(
    browse: Browse, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", attributes={"conventions": "NZ-1.0"})
    for name in "ab":
        group.create_array(name, data=np.zeros(3), dimension_names=["x"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(tmp_path / "s.zarr")
    document = tmp_path / "s.zarr" / "b" / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), "shape": [True]}))
    browser = browse(tmp_path / "s.zarr")
    press(browser, page(browser, "changes"), "Try all safe fixes")
    told = said(page(browser, "changes"))
    assert "1 fix not kept: Z3-SHAPE-001 at /b, because xarray would then stop at /" in told


def test_saving_needs_consent_and_names_the_documents(browse: Browse, broken_copy: Path) -> None:
    browser = browse(broken_copy, mode="r+")
    found = finding(browser, "NZ-FILL-005")
    press(browser, explain(browser, found), "Try it", found["path"])
    saving = page(browser, "saving")
    key = f"{found['path'].strip('/')}/zarr.json"
    (listing,) = (b for b in blocks(saving, "list") if b["label"] == "Documents to write")
    assert key in said(listing)
    before = (broken_copy / key).read_bytes()
    # what was confirmed is what is written: another edit since then is not
    browser.session.what_if.set("/", "/attributes/title", "another")
    refused = browser.refused(
        "act", name="save", path="/", params={"documents": [key, "zarr.json"][:1]}
    )
    assert "changed since they were confirmed" in refused["message"]
    assert (broken_copy / key).read_bytes() == before
    browser.session.what_if.undo()
    documents = [one.key for one in browser.session.what_if.edits]
    act(browser, "save", documents=documents)
    assert f"2 documents written: {key}, zarr.json. 1 finding gone" in said(
        page(browser, "changes")
    )
    assert (broken_copy / key).read_bytes() != before
    assert browser.ask("open")["edits"]["steps"] == 0
    assert "NZ-FILL-005" not in rules(browser)


def test_saving_recovers_nothing(browse: Browse, broken_copy: Path) -> None:
    """A journal in the store may be a stranger's."""
    plant(broken_copy, "forecast/height/zarr.json", b'{"zarr_format": 3}')
    before = digest(broken_copy)
    browser = browse(broken_copy, mode="r+")
    browser.session.what_if.set("/", "/attributes/title", "another")
    error = browser.refused("act", name="save", path="/", params={"documents": ["zarr.json"]})
    assert "was interrupted: nothing was written; run nz-explorer fix --recover" in error["message"]
    assert digest(broken_copy) == before


def test_a_read_only_store_is_not_saved(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    browser.session.what_if.set("/", "/attributes/title", "another")
    error = browser.refused("act", name="save", path="/", params={"documents": ["zarr.json"]})
    assert "read-only" in error["message"]


def test_edits_in_python_are_shown(broken_store: Path) -> None:
    ex = nz.explore(broken_store)
    assert ex.wait(30)
    ex.what_if.set("/", "/attributes/title", "in Python")
    assert ex._session.summary().edits.shown
    assert json.loads(ex.node.documents[0].text)["attributes"]["title"] == "in Python"
    assert ex.hierarchy.root.attributes["title"] != "in Python"
    ex.what_if.reset()
    assert not ex._session.summary().edits.shown
    ex.close()


def test_edits_made_while_the_walk_goes_on_are_made_again(
    browse: Browse, broken_store: Path
) -> None:
    browser = browse(broken_store, walk=False)
    browser.session.what_if.set("/", "/attributes/title", "early")
    browser.session.start()
    assert browser.session.wait(30)
    whole = browse(broken_store).session.summary()
    for _ in range(200):
        if browser.session.summary().counts.complete:
            break
        browser.session.conversation.pool.submit(lambda: None).result()
    summary = browser.session.summary()
    assert summary.edits.shown
    assert abs(summary.counts.error - whole.counts.error) <= 1


def test_a_document_is_written_in_and_broken_json_is_not_tried(
    browse: Browse, broken_store: Path
) -> None:
    browser = browse(broken_store)
    key, path = "analysis/cloud_type/zarr.json", "/analysis/cloud_type"
    text = (broken_store / key).read_text()
    params = {"key": key, "text": text.replace('"missing"', "255,")}
    error = browser.refused("act", name="edit", path=path, params=params)
    assert "line 38, column 23" in error["message"]
    assert browser.session.what_if.steps == 0
    for value in ("1", "25", "255"):
        act(
            browser,
            "edit",
            path,
            key=key,
            text=text.replace('"missing"', value),
            amend=value != "1",
        )
    assert browser.session.what_if.steps == 1
    press(browser, page(browser, "edits"), "Update the consolidated copy")
    assert "NZ-FILL-002" not in rules(browser)
    act(browser, "undo")
    act(browser, "undo")
    assert "NZ-FILL-002" in rules(browser)


def test_stored_and_consolidated_are_shown_as_a_difference(
    browse: Browse, broken_store: Path
) -> None:
    documents = browse(broken_store).ask("document", path="/forecast/u_wind")["documents"]
    (difference,) = (one for one in documents if one["origin"] == "difference")
    changed = [line for line in difference["text"].splitlines()[2:] if line[0] in "+-"]
    assert [line.split('"')[3] for line in changed] == ["knots", "m s-1"]
