"""Symbolic links in a store: shown, followed inside it, not out of it and not in circles."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.plots import make
from nz_explorer.store import ReadError, resolve
from tests.remote.stores import without_consolidated

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")


@pytest.fixture
def store(sample_copy: Path) -> Path:
    """The sample dataset, which a test may change."""
    return without_consolidated(sample_copy)


def test_a_folder_that_is_elsewhere_is_shown_and_not_read(store: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copytree(store / "ocean", tmp_path / "elsewhere"))
    (store / "linked").symlink_to(elsewhere)
    hierarchy = open_store(store)
    node = hierarchy["/linked"]
    assert node.state == "unreadable"
    assert "leaves the store" in (node.problem or "")
    report = nz.check(hierarchy, progress=False)
    assert not report.complete
    assert any(entry.path == "/linked" for entry in report.not_evaluated)
    # Unless someone wants it.
    followed = open_store(store, storage_options={"follow_links": True})
    assert len(followed["/linked"].hierarchy.children("/linked")) > 5


def test_a_document_and_a_chunk_that_are_elsewhere_are_not_read(
    store: Path, tmp_path: Path
) -> None:
    document = store / "ocean" / "depth" / "zarr.json"
    shutil.move(document, tmp_path / "zarr.json")
    document.symlink_to(tmp_path / "zarr.json")
    chunk = store / "ocean" / "sea_surface_temperature" / "c" / "0" / "0" / "0"
    secret = tmp_path / "secret"
    shutil.move(chunk, secret)
    chunk.symlink_to(secret)
    hierarchy = open_store(store)
    assert "leaves the store" in (hierarchy["/ocean/depth"].problem or "")
    look = make(hierarchy, "/ocean/sea_surface_temperature", {"time": 0})
    assert "leaves the store" in look.errors[0].message


def test_links_inside_the_store_are_followed(store: Path) -> None:
    (store / "again").symlink_to("ocean")
    hierarchy = open_store(store)
    names = [node.name for node in hierarchy.children("/again")]
    assert names == [node.name for node in hierarchy.children("/ocean")]
    assert nz.check(hierarchy, progress=False).complete


@pytest.mark.parametrize(
    "links",
    [
        {"ocean/up": ".."},
        {"ocean/self": "../ocean"},
        {"ocean/there": "../forecast", "forecast/back": "../ocean"},
        {"ocean/one": "..", "ocean/two": "..", "forecast/three": ".."},
    ],
)
def test_circles_end(store: Path, links: dict[str, str]) -> None:
    for place, target in links.items():
        (store / place).symlink_to(target)
    nodes = list(open_store(store).walk())
    assert len(nodes) < 200
    problems = [node.problem for node in nodes if node.state == "unreadable"]
    assert len(problems) >= 1
    assert all("a folder above it" in (problem or "") for problem in problems)


def test_a_store_may_be_a_link_itself(store: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.zarr"
    link.symlink_to(store)
    assert nz.check(link, progress=False).complete
    assert resolve(link).get("ocean/zarr.json")


def test_names_that_are_no_utf8_can_be_shown(store: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    try:
        shutil.copytree(store / "ocean" / "depth", store / name)
    except OSError:
        pytest.skip("this file system takes no such names")
    report = nz.check(store, progress=False)
    for text in (report.to_text(), report.to_html(), report.to_markdown(), report.to_json()):
        text.encode()
    assert "caf\\udce9" in report.to_text()


def test_a_device_or_a_pipe_is_not_waited_for(store: Path) -> None:
    target = store / "ocean" / "depth" / "zarr.json"
    target.unlink()
    os.mkfifo(target)
    (answer,) = resolve(store).get_many(["ocean/depth/zarr.json"])
    assert answer == b"" or isinstance(answer, ReadError)
