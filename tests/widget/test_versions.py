"""Versions of an Icechunk repository: chosen in the header, listed with their commits, compared, and searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zarr

import nz_explorer as nz
from tests.widget.conftest import SECONDS, Browse, Browser
from tests.widget.test_pages import blocks, page, said

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed")


@pytest.fixture(scope="module")
def repository() -> Any:
    """A repository of 26 versions; the tenth broke a dimension, the third has a tag."""
    made = icechunk.Repository.create(icechunk.in_memory_storage())
    for number in range(1, 26):
        session = made.writable_session("main")
        root = zarr.open_group(session.store, mode="a")
        root.attrs["number"] = number
        if number in (1, 10):
            names = ("y", "x") if number == 1 else ("y", "y")
            root.create_array("a", shape=(2, 3), dtype="f4", dimension_names=names, overwrite=True)
        session.commit(f"number {number}", metadata={"author": "Ada"} if number == 10 else None)
        if number == 3:
            made.create_tag("three", made.lookup_branch("main"))
    return made


def act(browser: Browser, name: str, path: str = "/", **params: Any) -> dict[str, Any]:
    answer: dict[str, Any] = browser.ask("act", name=name, path=path, params=params)
    return answer


def number(browser: Browser) -> int:
    found: int = browser.session.hierarchy.root.attributes["number"]
    return found


def test_the_header_offers_branches_and_tags(browse: Browse, repository: Any) -> None:
    browser = browse(repository)
    summary = browser.session.summary()
    assert (summary.version, summary.source) == ("branch main", "Icechunk")
    assert summary.versions == ["branch main", "tag three", "History …"]
    assert number(browser) == 25
    act(browser, "show version", version="tag three")
    summary = browser.session.summary()
    assert summary.version == "tag three"
    assert number(browser) == 3
    assert "three" in browser.session.hierarchy.source
    assert act(browser, "show version", version="History …")["panel"] == "history"
    assert browser.session.summary().version == "tag three"


def test_the_history_lists_commits_some_at_a_time(browse: Browse, repository: Any) -> None:
    browser = browse(repository)
    (table,) = blocks(page(browser, "history"), "table")
    assert len(table["rows"]) == 20
    assert "number 25" in said(table["rows"][0])
    assert "shown" in said(table["rows"][0])
    act(browser, "more versions")
    found = page(browser, "history")
    (table,) = blocks(found, "table")
    assert len(table["rows"]) == 26
    assert "Show older versions" not in said(found)
    assert "Ada" in said(table["rows"][15])


def test_a_version_without_a_hierarchy_is_not_shown(browse: Browse, repository: Any) -> None:
    browser = browse(repository)
    first = [*repository.ancestry(branch="main")][-1].id
    assert act(browser, "show version", version=f"snapshot {first}")["panel"] == "history"
    assert "there is no Zarr hierarchy" in said(page(browser, "history"))
    assert number(browser) == 25
    assert browser.session.summary().version == "branch main"
    act(browser, "show version", version="branch nowhere")
    assert "has no branch 'nowhere'" in said(page(browser, "history"))
    assert number(browser) == 25


def test_a_node_that_a_version_has_not_gives_way_to_its_group(browse: Browse) -> None:
    made = icechunk.Repository.create(icechunk.in_memory_storage())
    for name in (None, "late"):
        session = made.writable_session("main")
        root = zarr.open_group(session.store, mode="a")
        if name is None:
            root.create_group("g")
        else:
            root.create_array(f"g/{name}", shape=(2,), dtype="i4")
        session.commit(str(name))
        if name is None:
            made.create_tag("before", made.lookup_branch("main"))
    browser = browse(made)
    assert act(browser, "show version", "/g/late", version="tag before")["path"] == "/g"
    assert act(browser, "show version", "/g", version="branch main")["path"] is None


def test_two_versions_are_compared(browse: Browse, repository: Any) -> None:
    browser = browse(repository)
    third = repository.lookup_tag("three")
    assert act(browser, "compare version", snapshot=third)["panel"] == "comparison"
    found = said(page(browser, "comparison"))
    assert third in found
    assert '["y", "x"]' in found


def test_the_version_that_brought_a_finding(browse: Browse, repository: Any) -> None:
    browser = browse(repository)
    rule = next(f.rule for f in browser.session.base.findings() if f.path == "/a")
    own = next(f for f in browser.session.base.findings("/a") if f.rule == rule)
    detail = page(browser, "finding", "/a", rule=rule, pointer=own.pointer, message=own.message)
    assert "Which version brought it?" in said(detail)
    assert act(browser, "find version", "/a", rule=rule)["panel"] == "history"
    history = browser.session.history
    assert history is not None
    assert history.thread is not None
    history.thread.join(SECONDS)
    found = page(browser, "history")
    assert "number 10" in said(found)
    assert "UTC by Ada" in said(found)
    assert "6 of 26 versions checked" in said(found)
    (changed,) = (
        one
        for block in blocks(found, "actions")
        for one in block["actions"]
        if one["label"] == "What it changed"
    )
    act(browser, "compare version", **changed["params"])
    assert number(browser) == 10
    assert '["y", "y"]' in said(page(browser, "comparison"))


def test_a_search_is_stopped(
    browse: Browse, repository: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browse(repository)
    history = browser.session.history
    assert history is not None
    notify = history._notify

    def stop() -> None:
        history.stop()
        notify()

    monkeypatch.setattr(history, "_notify", stop)
    act(browser, "find version", "/a", rule="NZ-DIM-011")
    assert history.thread is not None
    history.thread.join(SECONDS)
    assert "Not found: stopped" in said(page(browser, "history"))


def test_a_version_outlives_the_session(repository: Any) -> None:
    explorer = nz.explore(repository)
    explorer._session.show_version("tag", "three")
    explorer.release()
    assert explorer.hierarchy.root.attributes["number"] == 3
    explorer.close()


def test_a_saved_page_names_its_version_and_offers_no_other(
    repository: Any, tmp_path: Path
) -> None:
    explorer = nz.explore(repository, storage_options={"tag": "three"})
    text = explorer.save(tmp_path / "page.html").read_text("utf-8")
    explorer.close()
    assert f"Icechunk three {repository.lookup_tag('three')}" in text
    assert "branch main" not in text


def test_a_store_without_history(browse: Browse, tmp_path: Any) -> None:
    zarr.open_group(tmp_path / "a.zarr")
    browser = browse(tmp_path / "a.zarr")
    assert browser.session.summary().version is None
    assert "This store has no history" in said(page(browser, "history"))
