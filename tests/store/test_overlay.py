"""The overlay: some keys are different, everything else passes through, nothing is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from nz_explorer.model import open_store
from nz_explorer.store import ReadError, resolve
from nz_explorer.store.overlay import OverlayReader
from tests.conftest import digest
from tests.store.test_readers import DOCUMENTS


@pytest.fixture
def overlay() -> OverlayReader:
    return OverlayReader(resolve(DOCUMENTS))


def test_everything_passes_through(overlay: OverlayReader) -> None:
    assert overlay.get_many([*DOCUMENTS, "x"]) == [*DOCUMENTS.values(), None]
    assert overlay.list_level("").names == ("a", "zarr.json")
    assert overlay.get_many([]) == []
    assert overlay.listable
    assert overlay.zarr_store() is overlay.base.zarr_store()


def test_keys_are_overridden_removed_and_restored(overlay: OverlayReader) -> None:
    overlay.override("a/zarr.json", b"new")
    overlay.override("a/b/zarr.json", None)
    overlay.override("c/d/zarr.json", b"more")
    assert overlay.get_many(["zarr.json", "a/zarr.json", "a/b/zarr.json", "c/d/zarr.json"]) == [
        DOCUMENTS["zarr.json"],
        b"new",
        None,
        b"more",
    ]
    assert overlay.list_level("").names == ("a", "c", "zarr.json")
    assert overlay.list_level("a").names == ("b", "zarr.json")
    assert overlay.list_level("a/b").names == ()
    assert overlay.list_level("c").names == ("d",)
    assert set(overlay.overridden) == {"a/zarr.json", "a/b/zarr.json", "c/d/zarr.json"}
    for key in overlay.overridden:
        overlay.restore(key)
    assert overlay.get_many(list(DOCUMENTS)) == list(DOCUMENTS.values())
    assert overlay.list_level("").names == ("a", "zarr.json")


@pytest.mark.parametrize("key", ["../zarr.json", "a//zarr.json", "", "a\\b", "a/./b", "a\0"])
def test_keys_that_lead_out_are_refused(overlay: OverlayReader, key: str) -> None:
    with pytest.raises(ReadError):
        overlay.override(key, b"")


def test_a_hierarchy_and_its_values_are_read_through_it(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    group.create_array("x", data=np.arange(3))
    before = digest(tmp_path / "s.zarr")
    overlay = OverlayReader(resolve(tmp_path / "s.zarr"))
    text = (overlay.get("x/zarr.json") or b"").replace(
        b'"attributes": {}', b'"attributes": {"u": 1}'
    )
    overlay.override("x/zarr.json", text)
    hierarchy = open_store(overlay)
    assert hierarchy["/x"].attributes == {"u": 1}
    opened = zarr.open_array(overlay.zarr_path("/x"), mode="r")
    assert opened[...].tolist() == [0, 1, 2]  # type: ignore[index, union-attr]
    overlay.close()
    assert digest(tmp_path / "s.zarr") == before
