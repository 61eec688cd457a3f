"""Runs a command on every case of a written corpus, and compares its reports with what they must say."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from nz_explorer.testing.corpus.writing import CORPUS, EXPECT, SUMMARY

SCHEMA = "nz-explorer/score/1"
AT_ONCE = 40
"""Sources that a command with ``{sources}`` is given."""
MEMBERS = ("rule", "path", "pointer", "severity")
MOST_SHOWN = 300

Key = tuple[str, ...]


class NoReport(Exception):
    """A command did not print a report that can be read."""


@dataclass
class Score:
    """How a command did on one case.

    Parameters
    ----------
    name, rule, kind : str
        Of the case.
    missed : list of tuple
        Findings that must be there, and are not: rule, path, pointer and severity.
    added : list of tuple
        Findings that must not be there.
    problem : str
        Why there is no report, if there is none.
    """

    name: str
    rule: str
    kind: str
    missed: list[Key] = field(default_factory=list)
    added: list[Key] = field(default_factory=list)
    problem: str = ""

    @property
    def right(self) -> bool:
        """Whether the report says what it must, and nothing else."""
        return not (self.missed or self.added or self.problem)


class Scoring:
    """A written corpus, and a command to try on it.

    Parameters
    ----------
    folder : Path
        Where `write_corpus` has written it.
    command : str
        The command, as in a shell, though none is used. ``{source}`` stands for the store, ``{sources}`` for several
        of them, ``{options}`` for what a case asks for; the source comes last where it is not named.
    seconds : float
        How long one run may take.
    jobs : int
        How many run at the same time.

    Raises
    ------
    ValueError
        If there is no corpus in the folder, or one of another version.
    """

    def __init__(self, folder: Path, command: str, *, seconds: float = 60, jobs: int = 1) -> None:
        self.folder = folder
        words = shlex.split(command)
        if not any(mark in word for word in words for mark in ("{source}", "{sources}")):
            words.append("{source}")
        self.words = words
        self.batches = "{sources}" in words
        self.takes_options = "{options}" in words
        self.seconds = seconds
        self.jobs = jobs
        listed = _read(folder / "corpus.json", CORPUS)
        self.expected = [
            (folder / one["folder"], _read(folder / one["folder"] / "expect.json", EXPECT))
            for one in listed["cases"]
        ]
        self._not_run = [one["rule"] for one in listed["left_out"]]
        if not self.takes_options:
            self._not_run += [one["rule"] for _, one in self.expected if one["options"]]
            self.expected = [one for one in self.expected if not one[1]["options"]]

    @property
    def without(self) -> int:
        """Cases that are not run: they cannot be files in a folder, or ask for options that the command does not take."""
        return len(self._not_run)

    def keep(self, rules: tuple[str, ...]) -> None:
        """Run only the cases of some rules.

        Parameters
        ----------
        rules : tuple of str
            Ids of rules, or prefixes of them.
        """
        self.expected = [one for one in self.expected if one[1]["rule"].startswith(rules)]
        self._not_run = [rule for rule in self._not_run if rule.startswith(rules)]

    def run(self, progress: Callable[[int, int], object] | None = None) -> list[Score]:
        """Run the command on all cases.

        Parameters
        ----------
        progress : callable, optional
            Called with the number of cases done, and of all.

        Returns
        -------
        list of Score
            One for each case, in the order of the corpus.

        Raises
        ------
        NoReport
            If the command cannot be started, or gives a report for none of the cases.
        """
        scores: list[Score] = []
        with ThreadPoolExecutor(self.jobs) as pool:
            for some in pool.map(self._scores, self._batches()):
                scores += some
                if progress is not None:
                    progress(len(scores), len(self.expected))
        if scores and all(score.problem for score in scores):
            raise NoReport(
                f"no report for any of {len(scores)} cases; the first: {scores[0].problem}"
            )
        return scores

    def _batches(self) -> Iterator[list[tuple[Path, dict[str, Any]]]]:
        if not self.batches:
            yield from ([one] for one in self.expected)
            return
        order = sorted(self.expected, key=lambda one: json.dumps(one[1]["options"]))
        for _, group in groupby(order, key=lambda one: json.dumps(one[1]["options"])):
            alike = list(group)
            for begin in range(0, len(alike), AT_ONCE):
                yield alike[begin : begin + AT_ONCE]

    def _scores(self, batch: list[tuple[Path, dict[str, Any]]]) -> list[Score]:
        try:
            reports = self._reports(batch)
        except NoReport as error:
            if len(batch) > 1:  # one of them is the cause
                return [score for one in batch for score in self._scores([one])]
            ((_, said),) = batch
            return [Score(said["name"], said["rule"], said["kind"], problem=str(error))]
        return [_compared(said, report) for (_, said), report in zip(batch, reports, strict=True)]

    def _reports(self, batch: Sequence[tuple[Path, dict[str, Any]]]) -> list[dict[str, Any]]:
        sources = [_address(place, said) for place, said in batch]
        options = _options(batch[0][1]["options"])
        words: list[str] = []
        for word in self.words:
            if word == "{options}":
                words += options
            elif word == "{sources}":
                words += sources
            else:
                words.append(word.replace("{source}", sources[0]))
        try:
            done = subprocess.run(  # noqa: S603  # running it is what was asked for
                words,
                capture_output=True,
                check=False,
                timeout=self.seconds,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as error:
            raise NoReport(f"took longer than {self.seconds:g} seconds") from error
        except OSError as error:
            raise NoReport(f"cannot be started: {error}") from error
        try:
            given = json.loads(done.stdout)
        except ValueError as error:
            said = done.stderr.decode(errors="replace").strip() or "nothing on standard error"
            raise NoReport(
                f"exit code {done.returncode} and no JSON: {said[-MOST_SHOWN:]}"
            ) from error
        reports = given if isinstance(given, list) else [given]
        if len(reports) != len(batch):
            raise NoReport(f"{len(reports)} reports for {len(batch)} sources")
        return reports


def _read(file: Path, schema: str) -> dict[str, Any]:
    try:
        given: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"there is no {file}: nz-explorer corpus DIR writes one") from error
    if given.get("schema") != schema:
        raise ValueError(f"{file} has the schema {given.get('schema')!r}, not {schema!r}")
    return given


def _address(place: Path, said: dict[str, Any]) -> str:
    store = (place / said["source"]).resolve()
    return f"{store.as_uri()}#{said['fragment']}" if "fragment" in said else str(store)


def _options(given: dict[str, Any]) -> list[str]:
    """Return what a case asks for as options of ``nz-explorer check``."""
    words: list[str] = []
    for name, value in given.items():
        if name == "conventions":
            words += [f"--{name}", ",".join(value)]
        else:
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name}", one]
    return words


def _compared(said: dict[str, Any], report: Any) -> Score:
    score = Score(said["name"], said["rule"], said["kind"])
    findings = report.get("findings") if isinstance(report, dict) else None
    if not isinstance(findings, list) or not all(isinstance(one, dict) for one in findings):
        score.problem = "the report has no list of findings"
        return score
    absent = {name for one in findings for name in MEMBERS if not isinstance(one.get(name), str)}
    if absent:
        score.problem = f"a finding has no {', '.join(sorted(absent))}"
        return score
    found = Counter(
        _key(one) for one in findings if one["rule"] != SUMMARY or said["rule"] == SUMMARY
    )
    wanted = Counter(map(_key, said["findings"]))
    score.missed = sorted((wanted - found).elements())
    score.added = sorted((found - wanted).elements())
    return score


def _key(finding: dict[str, Any]) -> Key:
    return tuple(finding[member] for member in MEMBERS)


def to_dict(scores: Sequence[Score], without: int) -> dict[str, Any]:
    """Return scores as JSON has them.

    Parameters
    ----------
    scores : sequence of Score
        Of all cases that were run.
    without : int
        Cases that were not.
    """
    return {
        "schema": SCHEMA,
        "cases": len(scores),
        "right": sum(score.right for score in scores),
        "not_run": without,
        "rules_never_found": never_found(scores),
        "wrong": [
            {
                "name": score.name,
                "rule": score.rule,
                "kind": score.kind,
                "missed": [dict(zip(MEMBERS, key, strict=True)) for key in score.missed],
                "added": [dict(zip(MEMBERS, key, strict=True)) for key in score.added],
                "problem": score.problem or None,
            }
            for score in scores
            if not score.right
        ],
    }


def never_found(scores: Sequence[Score]) -> list[str]:
    """Return the rules that a command finds in none of the cases that are failures of them.

    Parameters
    ----------
    scores : sequence of Score
        Of all cases that were run.
    """
    failures = [score for score in scores if score.kind == "failure"]
    found = {
        score.rule
        for score in failures
        if not score.problem and all(key[0] != score.rule for key in score.missed)
    }
    return sorted({score.rule for score in failures} - found)
