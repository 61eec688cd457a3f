"""Readers on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nz_explorer import diagnosis
from nz_explorer.cli import main
from nz_explorer.diagnosis import Failure, Trial
from nz_explorer.model import Hierarchy


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of which one fails and the others are not there; that they really run is tested beside."""

    def try_reader(name: str, hierarchy: Hierarchy, **_: object) -> Trial:
        if name != "zarr-python":
            return Trial(name, "not installed", message="the package is not installed")
        failure = Failure("/analysis/snow", "UnknownCodecError: Unknown codec: \x1b[31m'wavelet9'")
        return Trial(name, "fails", "3.1", 56, [failure])

    monkeypatch.setattr(diagnosis, "try_reader", try_reader)


@pytest.mark.usefixtures("pretended")
def test_failures_come_with_their_rules(broken_store: Path) -> None:
    done = CliRunner().invoke(main, ["readers", str(broken_store)])
    assert done.exit_code == 1, done.output
    assert "zarr-python 3.1: opens 56 nodes, fails at 1" in done.output
    assert "most likely Z3-CODEC-012 at /analysis/snow" in done.output
    assert "\x1b" not in done.output
    done = CliRunner().invoke(main, ["readers", str(broken_store), "--format", "json"])
    first, *others = json.loads(done.output)
    assert first["failures"][0]["rules"] == [{"rule": "Z3-CODEC-012", "path": "/analysis/snow"}]
    assert {one["state"] for one in others} == {"not installed"}


@pytest.mark.usefixtures("pretended")
def test_a_source_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["readers", str(tmp_path / "nowhere")])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
