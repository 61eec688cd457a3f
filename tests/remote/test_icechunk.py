"""Icechunk: transactional stores, through a session of theirs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.model import open_store
from nz_explorer.report.bisection import bisect, most_checks
from nz_explorer.store import SourceError
from nz_explorer.store.remote.icechunk_reader import newest_versions
from tests.conftest import S3

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
    assert "Icechunk" in report.readers["netCDF-C"].reason


def test_its_values_are_those_of_the_folder(session: Any, sample_store: Path) -> None:
    path = "/ocean/sea_surface_temperature"
    mine, theirs = (nz.explore(source, path=path).to_xarray() for source in (session, sample_store))
    assert mine.equals(theirs)


def test_the_code_asks_for_the_store_in_hand(session: Any) -> None:
    assert "# store: what you opened the explorer with" in nz.explore(session).code()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in a folder with nine versions, of which the sixth broke a dimension."""
    import zarr

    folder = tmp_path_factory.mktemp("icechunk")
    made = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder)))
    for number in range(1, 9):
        session = made.writable_session("main")
        root = zarr.open_group(session.store, mode="a")
        root.attrs["number"] = number
        if number in (1, 5):
            names = ("y", "x") if number == 1 else ("y", "y")
            root.create_array("a", shape=(2, 3), dtype="f4", dimension_names=names, overwrite=True)
        session.commit(f"version {number}")
        if number == 3:
            made.create_tag("three", made.lookup_branch("main"))
    return folder


def test_a_repository_by_its_path_by_version(repository: Path) -> None:
    tip = open_store(repository)
    assert tip.reader.kind == "Icechunk"
    assert tip.root.attributes["number"] == 8
    tagged = open_store(repository, storage_options={"tag": "three"})
    assert tagged.root.attributes["number"] == 3
    opened = icechunk.Repository.open(icechunk.local_filesystem_storage(str(repository)))
    assert open_store(opened).root.attributes["number"] == 8
    with pytest.raises(SourceError, match="has no branch 'dev'"):
        open_store(repository, storage_options={"branch": "dev"})
    difference = nz.compare(repository, tagged)
    assert not difference.equal


def test_the_commit_that_brought_a_finding(repository: Path) -> None:
    rule = next(f.rule for f in nz.check(repository, progress=False).findings if f.path == "/a")
    found = bisect(repository, rule, path="/a")
    assert found.first is not None
    assert found.first.message == "version 5"
    assert found.before is not None
    assert found.before.message == "version 4"
    assert found.versions == 9  # with the one that creates the repository
    assert found.checks <= 5
    answer = CliRunner().invoke(main, ["bisect", str(repository), rule])
    assert answer.exit_code == 1
    assert "version 5" in answer.output
    older = CliRunner().invoke(main, ["bisect", str(repository), rule, "--tag", "three"])
    assert older.exit_code == 0


def test_a_repository_on_s3(repository: Path, s3: S3) -> None:
    url = s3.upload(repository, prefix="repository")
    options = {**s3.options, "branch": "main"}
    assert open_store(url, storage_options=options).root.attributes["number"] == 8
    with pytest.raises(SourceError, match="is an Icechunk repository: name a version"):
        open_store(url, storage_options=s3.options)


def test_the_history_is_read_only_as_far_as_it_is_shown(repository: Path) -> None:
    opened = icechunk.Repository.open(icechunk.local_filesystem_storage(str(repository)))
    two = [*islice(newest_versions(opened, {}), 2)]
    assert [one.message for one in two] == ["version 8", "version 7"]


def test_a_finding_of_the_first_version_with_anything_in_it(repository: Path) -> None:
    # the snapshot that creates a repository is empty: no hierarchy, and no finding
    found = bisect(repository, "NZ-DECL-001", path="/")
    assert found.first is not None
    assert found.first.message == "version 1"
    assert found.before is not None
    assert found.before.message == "Repository initialized"
    assert found.checks <= most_checks(found.versions)


@pytest.mark.parametrize(("versions", "checks"), [(1, 1), (2, 2), (9, 5), (32, 6), (33, 7)])
def test_how_many_checks_there_are_at_most(versions: int, checks: int) -> None:
    assert most_checks(versions) == checks
