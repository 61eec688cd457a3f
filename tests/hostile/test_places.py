"""What lies in a store steers nothing: neither where a report goes, nor what is looked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from nz_explorer.cli import main
from nz_explorer.conventions import registry
from nz_explorer.engine.configuration import Configuration, find
from tests.conftest import digest

COMMANDS = (["check"], ["check", "--format", "jsonl"], ["convert-metadata"])


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    file = tmp_path / "precious"
    file.write_text("precious")
    return file


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("place", ["zarr.json", "new.txt", "forecast/new.txt", "link"])
def test_a_report_is_not_written_into_a_store(
    sample_copy: Path, precious: Path, command: list[str], place: str
) -> None:
    """Above all not through a link that the store brings."""
    (sample_copy / "link").symlink_to(precious)
    before = digest(sample_copy)
    done = CliRunner().invoke(
        main, [*command, str(sample_copy), "--output", str(sample_copy / place)]
    )
    assert done.exit_code == 2
    assert "nothing was written" in done.output
    assert digest(sample_copy) == before
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nor_from_inside_of_it(
    sample_copy: Path, precious: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample_copy / "report.txt").symlink_to(precious)
    monkeypatch.chdir(sample_copy)
    done = CliRunner().invoke(main, [*command, ".", "--output", "report.txt"])
    assert done.exit_code == 2
    assert precious.read_text() == "precious"


def test_nor_where_the_root_has_no_metadata(sample_copy: Path) -> None:
    (sample_copy / "zarr.json").unlink()
    before = digest(sample_copy)
    done = CliRunner().invoke(main, ["check", str(sample_copy), "--output", str(sample_copy / "x")])
    assert done.exit_code == 2
    assert digest(sample_copy) == before


def test_nor_over_the_archive_that_is_checked(sample_copy: Path, tmp_path: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "s"), "zip", sample_copy))
    before = archive.read_bytes()
    done = CliRunner().invoke(main, ["check", str(archive), "--output", str(archive)])
    assert done.exit_code == 2
    assert archive.read_bytes() == before


def test_beside_a_store_it_is_written(sample_copy: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["check", str(sample_copy), "--format", "json", "--output", str(tmp_path / "r.json")]
    )
    assert done.exit_code in (0, 1), done.output
    assert json.loads((tmp_path / "r.json").read_text())


@pytest.mark.parametrize("at", [".", "forecast", "not/there"])
def test_a_configuration_in_a_store_does_not_count(
    sample_copy: Path, tmp_path: Path, at: str
) -> None:
    for folder in (sample_copy, sample_copy / "forecast"):
        (folder / "pyproject.toml").write_text('[tool.nz-explorer]\nignore = ["NZ", "Z3"]\n')
    assert find(sample_copy / at, registry().rules) == Configuration()
    (sample_copy.parent / "pyproject.toml").write_text('[tool.nz-explorer]\nignore = ["NZ-NAME"]\n')
    assert find(sample_copy / at, registry().rules) == Configuration(ignore=("NZ-NAME",))
