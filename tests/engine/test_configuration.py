"""A project says in its pyproject.toml what it wants checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.conventions import rules
from nz_explorer.engine.configuration import Configuration, ConfigurationError, find, parse
from nz_explorer.report.check import check
from tests.corpus.cases import CASES, contents, write

MIXED = next(case for case in CASES if case["name"] == "NZ-FILL-002: nan in lower case")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write(contents(MIXED), tmp_path / "data.zarr")


def _rules(report: nz.Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity) for finding in report.findings]


def test_another_severity(store: Path) -> None:
    wanted = Configuration(severity={"NZ": "error", "NZ-FILL-002": "info"})
    report = check(store, progress=False, configuration=wanted)
    assert _rules(report) == [("NZ-FILL-002", "info")]
    assert report.counts.info == 1
    assert report.conforms["NZ-1.0"] is False


@pytest.mark.parametrize("severity", ["error", "warning", "info"])
def test_any_severity_takes_the_place_of_another(store: Path, severity: Any) -> None:
    report = check(store, progress=False, configuration=Configuration(severity={"NZ": severity}))
    assert _rules(report) == [("NZ-FILL-002", severity)]
    assert getattr(report.counts, severity) == 1
    assert report.conforms["NZ-1.0"] is False


def test_ignored_at_a_path_and_nowhere_else(store: Path) -> None:
    for pattern, found in (("/a", 0), ("/*", 0), ("/b*", 1)):
        wanted = Configuration(per_path_ignores={pattern: ("NZ-FILL",)})
        report = check(store, progress=False, configuration=wanted)
        assert len(report.findings) == found
        assert report.counts.total == found
        assert report.conforms["NZ-1.0"] is False  # not seeing it does not make it right


def test_the_nodes_that_fail_are_those_of_the_findings(store: Path) -> None:
    for wanted in (
        None,
        Configuration(severity={"NZ": "error"}),
        Configuration(per_path_ignores={"/a": ("NZ",)}),
    ):
        evaluation = check(store, progress=False, configuration=wanted).evaluation
        for severity in ("error", "warning", "info"):
            assert evaluation.failing(
                lambda violation, kind=severity: violation.severity == kind
            ) == {one.path for one in evaluation.findings() if one.severity == severity}


def test_a_profile_decides_what_breaks_a_convention(tmp_path: Path) -> None:
    case = next(c for c in CASES if c["name"].startswith("NZ-NAME-003") and "profile" in c)
    store = write(contents(case), tmp_path / "data.zarr")
    for configuration in (Configuration(profile=("strict_marked",)), None):
        report = check(store, progress=False, configuration=configuration)
        assert report.conforms["NZ-1.0"] is (configuration is not None)
    with pytest.raises(ValueError, match="unknown profile 'strict'"):
        check(store, progress=False, profile="strict")


def test_the_nearest_file_with_a_table_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.nz-explorer]\nignore = ["NZ-NAME"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    assert find(inner, rules()) == Configuration(ignore=("NZ-NAME",))


@pytest.mark.parametrize(
    "table",
    [
        {"choose": []},
        {"select": "NZ"},
        {"profile": "strict_marked"},
        {"ignore": ["NOPE"]},
        {"severity": {"NZ": "fatal"}},
        {"severity": {"NOPE": "error"}},
        {"per-path-ignores": {"/a": "NZ"}},
        [],
    ],
    ids=str,
)
def test_what_means_nothing_is_refused(table: object) -> None:
    with pytest.raises(ConfigurationError):
        parse(table, rules())


def test_the_command_line_reads_it(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    assert run.invoke(main, ["check", str(store)], standalone_mode=False).return_value == 1
    table = '[tool.nz-explorer.per-path-ignores]\n"/a" = ["NZ-FILL-002"]\n'
    (tmp_path / "pyproject.toml").write_text(table)
    assert run.invoke(main, ["check", str(store)], standalone_mode=False).return_value == 0
    (tmp_path / "pyproject.toml").write_text("[tool.nz-explorer]\nselekt = []\n")
    result = run.invoke(main, ["check", str(store)])
    assert result.exit_code == 2
