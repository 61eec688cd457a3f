"""``nz-explorer corpus``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import print_untrusted

if TYPE_CHECKING:
    from nz_explorer.testing.corpus import Score, Scoring

MOST_CASES = 20
"""Wrong cases that are listed as text; JSON has all of them."""


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--run",
    "command",
    default=None,
    metavar="CMD",
    help="Score a command on the corpus; {source}, {sources} and {options} stand for what each case gives.",
)
@click.option("--rules", multiple=True, help="Only cases of these rules, by id or prefix.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Runs at the same time.")
@click.option(
    "--timeout", type=click.FloatRange(0.1), default=60.0, help="Seconds that a run may take."
)
@options.json_or_text
def corpus(
    folder: Path | None,
    command: str | None,
    rules: tuple[str, ...],
    jobs: int,
    timeout: float,
    form: str,
) -> int:
    """Write the conformance corpus into DIR: a store for each case, and what a checker must find in it.

    With --run, score a command that prints the report as JSON on the corpus in DIR, or on one that is made for it.
    The README.md that is written into DIR describes the format.
    """
    from nz_explorer.testing.corpus import NoReport, Scoring, write_corpus

    wanted = tuple(rule.upper() for rule in options.split(rules))
    if command is None:
        if folder is None:
            raise click.UsageError("say where to write it, or what to --run on it")
        try:
            listed = write_corpus(folder, wanted)
        except FileExistsError as error:
            raise click.ClickException(str(error)) from error
        left_out = len(listed["left_out"])
        print_untrusted(
            f"{len(listed['cases']):,} cases in {folder}; {left_out} need another kind of store"
        )
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        if folder is None:
            folder = Path(scratch) / "corpus"
            write_corpus(folder, wanted)
        try:
            scoring = Scoring(folder, command, seconds=timeout, jobs=jobs)
            if wanted:
                scoring.keep(wanted)
            scores = scoring.run(_progress)
        except (ValueError, NoReport) as error:
            raise click.ClickException(str(error)) from error
    return _report(scoring, scores, form)


def _progress(done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        click.echo(f"{done:,} of {total:,} cases", err=True)


def _report(scoring: Scoring, scores: list[Score], form: str) -> int:
    import json

    from nz_explorer.testing.corpus.scoring import never_found, to_dict

    wrong = [score for score in scores if not score.right]
    if form == "json":
        click.echo(json.dumps(to_dict(scores, scoring.without), indent=2))
        return int(bool(wrong))
    right = len(scores) - len(wrong)
    print_untrusted(f"{right:,} of {len(scores):,} cases right; {scoring.without:,} not run")
    if never := never_found(scores):
        print_untrusted(f"rules that are never found: {', '.join(never)}")
    for score in wrong[:MOST_CASES]:
        print_untrusted(f"✗ {score.name}")
        if score.problem:
            print_untrusted(f"    {score.problem}")
        for what, keys in (("missing", score.missed), ("not expected", score.added)):
            for key in keys:
                print_untrusted(
                    f"    {what}: {' '.join(part or '(whole document)' for part in key)}"
                )
    if len(wrong) > MOST_CASES:
        print_untrusted(f"and {len(wrong) - MOST_CASES:,} more; --format json lists all of them")
    return int(bool(wrong))
