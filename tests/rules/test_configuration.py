"""A project says in its pyproject.toml what it wants checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.rules.check import check
from nz_explorer.rules.configuration import Configuration, ConfigurationError, find, parse
from tests.rules.corpus import CASES, contents, write

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
            assert evaluation.failing(lambda hit, kind=severity: hit.severity == kind) == {
                one.path for one in evaluation.findings() if one.severity == severity
            }


def test_the_nearest_file_with_a_table_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.nz-explorer]\nignore = ["NZ-NAME"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    assert find(inner) == Configuration(ignore=("NZ-NAME",))


@pytest.mark.parametrize(
    "table",
    [
        {"choose": []},
        {"select": "NZ"},
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
        parse(table)


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
