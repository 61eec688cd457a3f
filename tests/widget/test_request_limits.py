"""How much a request may ask for: up to a limit it is given, and not one more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from tests.corpus.cases import FaultyStore
from tests.widget.conftest import Browse

GROUP = {"zarr_format": 3, "node_type": "group"}
MANY = 1002
"""Groups whose names break a rule: two more than a page may have."""


@pytest.fixture(scope="module")
def many() -> FaultyStore:
    raw = json.dumps(GROUP).encode()
    documents = {f"{number:04}/zarr.json": raw for number in range(MANY)}
    return FaultyStore({"zarr.json": raw, **documents}, [], listable=True)


def test_pages_of_long_lists(browse: Browse, many: FaultyStore) -> None:
    browser = browse(many)

    for method, about, items in (
        ("children", {"path": "/"}, "rows"),
        ("search", {"query": "0"}, "rows"),
        ("findings", {"path": "/"}, "findings"),
    ):

        def page(
            offset: int,
            limit: int,
            method: str = method,
            about: dict[str, str] = about,
            items: str = items,
        ) -> list[Any]:
            found: list[Any] = browser.ask(method, **about, offset=offset, limit=limit)[items]
            return found

        total = browser.ask(method, **about)["total"]
        assert total >= MANY
        whole = page(0, 1000)
        assert (len(whole), page(0, 1)) == (1000, whole[:1])
        if method == "children":
            assert [len(page(0, limit)) for limit in (999, 1001, 2**40)] == [999, 1000, 1000]
        assert page(999, 1) == whole[-1:]
        assert page(998, 5)[:2] == whole[-2:]
        assert [len(page(total + before, 5)) for before in (-2, -1, 0, 1)] == [2, 1, 0, 0]
        for offset, limit in ((-1, 5), (0, 0), (0, -1), (-1, 0)):
            error = browser.refused(method, **about, offset=offset, limit=limit)
            assert error["code"] == "bad_request"
    for number, expected in ((1000, 1000), (1001, 1000)):
        paths = [f"/{i:04}" for i in range(number)]
        rows = browser.ask("rows", paths=paths)["rows"]
        assert [row["path"] for row in rows] == paths[:expected]


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits") / "arrays.zarr"
    group = zarr.create_group(folder)
    for length in (16, 17, 4095, 4096, 4097):
        # More elements than a picture has whatever the room for it.
        shape = (2**16 // length + 1, length)
        group.create_array(f"a{length}", data=np.ones(shape, "f4"), chunks=shape)
    group.create_array("square", shape=(600, 600), dtype="f4", chunks=(600, 600))[:] = 1
    for number in range(61):
        group.create_array(f"s{number:02}", shape=(3,), dtype="f4", chunks=(3,))[:] = 1
    return folder


@pytest.mark.parametrize(
    ("length", "width", "points"),
    [
        (4095, 4095, 4095),
        (4096, 4095, 2048),
        (4096, 4096, 4096),
        (4096, 4097, 4096),
        (4097, 4096, 2049),
        (4097, 4097, 2049),
        (4097, 2**40, 2049),
        (16, 16, 16),
        (16, 1, 16),
        (16, 0, 16),
        (16, -5, 16),
        (17, 1, 9),
        (17, 17, 17),
    ],
)
def test_points_of_a_picture(
    browse: Browse, arrays: Path, length: int, width: int, points: int
) -> None:
    browser = browse(arrays, walk=False)
    look = browser.ask("picture", path=f"/a{length}", width=width, height=100)
    axis = look["x"]
    assert axis["size"] == points
    assert axis["start"] + axis["step"] * (points - 1) < length


@pytest.mark.parametrize(("side", "drawn"), [(511, 511), (512, 512), (513, 512)])
def test_points_of_a_small_picture(browse: Browse, arrays: Path, side: int, drawn: int) -> None:
    browser = browse(arrays, walk=False)
    (small,) = browser.ask("thumbnails", paths=["/square"], width=side, height=side)["thumbnails"]
    assert max(small["width"], small["height"]) <= drawn
    assert max(small["width"], small["height"]) > drawn / 2


def test_the_shape_of_a_small_picture(browse: Browse, arrays: Path) -> None:
    browser = browse(arrays, walk=False)
    paths = ["/square", "/s00"]
    small = browser.ask("thumbnails", paths=paths, width=160, height=100)["thumbnails"]
    assert [one["aspect"] for one in small] == [1, None]  # a line may have any


@pytest.mark.parametrize(("number", "expected"), [(59, 59), (60, 60), (61, 60)])
def test_small_pictures_at_once(browse: Browse, arrays: Path, number: int, expected: int) -> None:
    browser = browse(arrays, walk=False)
    paths = [f"/s{i:02}" for i in range(number)]
    small = browser.ask("thumbnails", paths=paths, width=16, height=16)["thumbnails"]
    assert [one["path"] for one in small] == paths[:expected]


@pytest.mark.parametrize(
    ("index", "shown"), [(-4, 0), (-3, 0), (-2, 1), (-1, 2), (0, 0), (1, 1), (2, 2), (3, 2), (2**70, 2)]
)  # fmt: skip
def test_indices_beyond_the_ends(browse: Browse, tmp_path: Path, index: int, shown: int) -> None:
    array = zarr.create_array(tmp_path / "a.zarr", shape=(3, 4, 5), dtype="f4", chunks=(1, 4, 5))
    array[:] = np.arange(3)[:, None, None] + np.ones((4, 5))
    browser = browse(tmp_path / "a.zarr", walk=False)
    look = browser.ask("picture", path="/", index={"dim_0": index}, width=50, height=50)
    assert [slider["index"] for slider in look["sliders"]] == [shown]
    values = np.frombuffer(browser.buffers[look["values_buffer"]], "f4")
    assert set(values.tolist()) == {shown + 1.0}


@pytest.mark.parametrize(("more", "cut"), [(-1, False), (0, False), (1, True)])
def test_a_long_document_is_cut(browse: Browse, more: int, cut: bool) -> None:
    empty = len(json.dumps({**GROUP, "attributes": {"t": ""}}))
    raw = json.dumps({**GROUP, "attributes": {"t": "t" * (256 * 1024 - empty + more)}}).encode()
    browser = browse(FaultyStore({"zarr.json": raw}, [], listable=True), walk=False)
    (document,) = browser.ask("document", path="/")["documents"]
    assert (document["cut"], document["size"]) == (cut, len(raw))
    assert document["text"] == raw.decode()[: 256 * 1024]
