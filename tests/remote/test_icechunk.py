"""Icechunk: transactional stores, through a session of theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.model import open_store

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed")


@pytest.fixture
def session(sample_store: Path) -> Any:
    """The documents and chunks of the sample dataset in a repository, as of its last commit."""
    from zarr.core.buffer import default_buffer_prototype
    from zarr.core.sync import sync

    repository = icechunk.Repository.create(icechunk.in_memory_storage())
    writing = repository.writable_session("main")
    make = default_buffer_prototype().buffer.from_bytes
    # Icechunk needs groups before what is in them.
    for file in sorted(sample_store.rglob("*"), key=lambda file: (file.name != "zarr.json", file)):
        if file.is_file():
            key = file.relative_to(sample_store).as_posix()
            sync(writing.store.set(key, make(file.read_bytes())))
    writing.commit("the sample dataset")
    return repository.readonly_session("main")


@pytest.mark.parametrize("of", [lambda s: s, lambda s: s.store], ids=["session", "its store"])
def test_a_session_walks_like_a_folder(
    session: Any, sample_store: Path, of: Callable[[Any], Any]
) -> None:
    hierarchy = open_store(of(session))
    # Icechunk keeps no consolidated metadata; it has the documents at hand.
    local = open_store(sample_store, consolidated=False)
    assert [node.path for node in hierarchy.walk()] == [node.path for node in local.walk()]
    assert hierarchy.reader.kind == "Icechunk"
    assert session.snapshot_id in hierarchy.source


def test_its_report_is_complete(session: Any) -> None:
    report = nz.check(session, progress=False)
    assert report.complete
    assert report.nodes["unreadable"] == 0
    assert [entry for entry in report.not_evaluated if "unreadable" in entry.reason] == []


def test_its_values_are_those_of_the_folder(session: Any, sample_store: Path) -> None:
    path = "/ocean/sea_surface_temperature"
    mine, theirs = (nz.explore(source, path=path).to_xarray() for source in (session, sample_store))
    assert mine.equals(theirs)


def test_the_code_asks_for_the_store_in_hand(session: Any) -> None:
    assert "# store: what you opened the explorer with" in nz.explore(session).code()
