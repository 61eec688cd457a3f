"""Answers that are asked for before they are needed are those that the store would give."""

from __future__ import annotations

import pytest
import zarr
from zarr.storage import MemoryStore

from nz_explorer.conventions import evaluate
from nz_explorer.model import Hierarchy
from nz_explorer.store import Listing
from nz_explorer.store.remote.read_ahead import NOT_KNOWN, ReadAhead
from nz_explorer.store.remote.remote_reader import RemoteReader


def test_folders_are_made_of_one_listing() -> None:
    ahead = ReadAhead(3, {}, Listing(("a/b/c/0", "a/zarr.json", "zarr.json")))
    assert ahead.answer(3, ("list", "", None)).names == ("a", "zarr.json")
    assert ahead.answer(3, ("list", "a", 2)).names == ("b", "zarr.json")
    # which of them come is the store's choice
    assert ahead.answer(3, ("list", "a", 1)) is NOT_KNOWN
    assert ahead.answer(3, ("list", "nothing", None)).names == ()
    assert ahead.answer(3, ("list", "../a", None)) is NOT_KNOWN
    assert ahead.answer(4, ("list", "a", None)) is NOT_KNOWN
    assert ahead.answer(3, ("get", "a/zarr.json", 9)) is NOT_KNOWN
    assert ahead.answer(3, ("get", "a/zarr.json/zarr.json", 9)) is None


def test_names_that_no_folder_has_are_asked_for() -> None:
    ahead = ReadAhead(0, {("get", "x", 1): b"{}"}, Listing(("a//b",)))
    assert ahead.answer(0, ("list", "a", None)) is NOT_KNOWN
    assert ahead.answer(0, ("get", "x", 1)) == b"{}"


def _checked(store: MemoryStore, *, listable: bool, far: bool) -> tuple[object, int]:
    reader = RemoteReader(store, "far", "S3", listable=listable, local=not far)
    reader.object_storage = True
    hierarchy = Hierarchy(reader)
    evaluation = evaluate(hierarchy, values="none")
    before = reader.counters.round_trips
    evaluation.run()
    return evaluation.findings("/"), reader.counters.round_trips - before


@pytest.mark.filterwarnings("ignore:Consolidated metadata:zarr.errors.ZarrUserWarning")
def test_a_check_finds_the_same_in_few_round_trips() -> None:
    store = MemoryStore()
    group = zarr.open_group(store, attributes={"conventions": "NZ-1.0"})
    for _ in range(5):
        group = group.create_group("g")
        for name, length in (("a", 4), ("b", 5)):
            group.create_array(name, shape=(length,), dtype="f4", dimension_names=("x",))
    for consolidated in (False, True):
        if consolidated:
            zarr.consolidate_metadata(store)
            zarr.open_group(store, path="g/g", use_consolidated=False).attrs["later"] = True
        for listable in {True, not consolidated}:
            near, _ = _checked(store, listable=listable, far=False)
            found, in_a_row = _checked(store, listable=listable, far=True)
            assert near
            assert found == near
            assert in_a_row <= 2
