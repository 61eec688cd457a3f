"""The corpus as others run it: written as stores, and commands that are scored on it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nz_explorer.cli import main
from nz_explorer.testing.corpus import NoReport, Scoring, cases, write_corpus
from nz_explorer.testing.corpus.scoring import never_found, to_dict

RULES = ("NZ-SCAL-001", "TREE-009")
PYTHON = shlex.quote(sys.executable)
OURS = f"{PYTHON} -m nz_explorer.cli check --format json"
EMPTY = f"""{PYTHON} -c 'print("{{\\"findings\\": []}}")'"""


def call(*args: object) -> Result:
    return CliRunner().invoke(main, ["corpus", *map(str, args)])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder, RULES)
    return folder


def test_every_case_is_written_or_said_to_need_another_store(tmp_path: Path) -> None:
    listed = write_corpus(tmp_path, ("NZ-CONS", "TREE"))
    names = {one["name"] for kind in ("cases", "left_out") for one in listed[kind]}
    assert names == {c["name"] for c in cases() if c["rule"].startswith(("NZ-CONS", "TREE"))}
    assert all("needs a store" in one["why"] for one in listed["left_out"])
    assert json.loads((tmp_path / "corpus.json").read_text("utf-8")) == listed
    assert "nz-explorer/expect/1" in (tmp_path / "README.md").read_text("utf-8")
    for one in listed["cases"]:
        said = json.loads((tmp_path / one["folder"] / "expect.json").read_text("utf-8"))
        assert said["schema"] == "nz-explorer/expect/1"
        assert (tmp_path / one["folder"] / said["source"]).exists()
        found = any(finding["rule"] == one["rule"] for finding in said["findings"])
        assert said["kind"] == ("failure" if found else "near miss")


def test_nothing_is_written_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    assert call(tmp_path).exit_code == 2
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_our_own_command_is_right(written: Path) -> None:
    scores = Scoring(written, f"{OURS} {{options}} {{sources}}").run()
    assert scores
    assert [score.name for score in scores if not score.right] == []
    assert never_found(scores) == []


def test_a_command_that_finds_nothing_is_right_about_near_misses_alone(written: Path) -> None:
    scoring = Scoring(written, EMPTY)
    assert scoring.without > 0  # what asks for something is not run without {options}
    scores = scoring.run()
    nothing = {score.name for score in scores if score.right}
    assert nothing == {said["name"] for _, said in scoring.expected if not said["findings"]}
    missed = [score for score in scores if score.kind == "failure"]
    assert missed
    assert all(score.missed and not score.added for score in missed)
    assert never_found(scores) == sorted({score.rule for score in missed})
    assert to_dict(scores, 0)["right"] == len(nothing) < len(scores)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("print(1)", "no list of findings"),
        ('print(\'{"findings": [{"rule": "X"}]}\')', "a finding has no path, pointer, severity"),
        ("print('[{}, {}]')", "2 reports for 1 sources"),
        ("import sys; sys.exit('no such format')", "exit code 1 and no JSON: no such format"),
        ("import time; time.sleep(60)", "took longer than 0.5 seconds"),
    ],
)
def test_what_is_no_report_is_said(code: str, problem: str, written: Path) -> None:
    scoring = Scoring(
        written, f"{PYTHON} -c {shlex.quote(code)}", seconds=0.5 if "sleep" in code else 60
    )
    scoring.keep(("TREE-009",))
    scoring.expected = scoring.expected[:1]
    with pytest.raises(NoReport, match=problem):
        scoring.run()


def test_the_command_line(written: Path) -> None:
    said = call("--run", EMPTY, written, "--rules", "tree-009")
    assert said.exit_code == 1
    assert "rules that are never found: TREE-009" in said.output
    assert "; 0 not run" in said.output  # cases of other rules are not counted
    assert "missing: TREE-009 / (whole document) warning" in said.output
    said = call("--run", EMPTY, "--rules", "TREE-009", "--format", "json")
    assert said.exit_code == 1
    assert json.loads(said.stdout)["schema"] == "nz-explorer/score/1"
    for args, why in (
        (("--run", "/no/such/program", written), "cannot be started"),
        (("--run", EMPTY, written / "nothing"), "nz-explorer corpus DIR writes one"),
        ((), "say where to write it"),
    ):
        said = call(*args)
        assert said.exit_code == 2
        assert why in said.output
