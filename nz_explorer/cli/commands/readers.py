"""``nz-explorer readers``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import print_untrusted

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation import Evaluation


@click.command()
@click.argument("source")
@options.json_or_text
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="How long each reader may take.",
)
@click.option(
    "--edits",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    metavar="PATCH",
    help="File with changes that are tried in a temporary copy: JSON objects with document and patch (RFC 6902), as"
    " the fixes of a report have them. SOURCE itself is never written.",
)
def readers(source: str, form: str, seconds: float, edits: Path | None) -> int:
    """Let other software open SOURCE, each in a process of its own, and decode something of each array.

    zarr-python, xarray (also as a DataTree), netCDF-C and a plain NZ reader; tensorstore, GDAL and zarrita where they are
    installed. Each failure comes with the rules that explain it, and the first value of each
    array is compared between readers. The exit code is 0 if all readers that are installed read
    everything and agree, 1 if not.
    """
    import json

    from nz_explorer.diagnosis import READERS, first_values, trial_report, try_reader
    from nz_explorer.report.check import check as check_source

    evaluation = check_source(source).evaluation
    if edits is not None:
        evaluation = _edited(evaluation, edits)
    trials = [try_reader(name, evaluation.hierarchy, seconds=seconds) for name in READERS]
    apart = [row for row in first_values.rows(trials) if row.disagreement]
    if form == "json":
        found = [trial_report.to_dict(trial, evaluation) for trial in trials]
        click.echo(json.dumps(found, indent=2))
    else:
        for trial in trials:
            for line in trial_report.lines(trial, evaluation):
                print_untrusted(line)
        for line in trial_report.table(trials):
            print_untrusted(line)
    return 1 if apart or any(trial.state in trial_report.TROUBLE for trial in trials) else 0


def _edited(evaluation: Evaluation, file: Path) -> Evaluation:
    """Return the evaluation with the edits of a file."""
    from nz_explorer.editing.patch_file import edits_of
    from nz_explorer.editing.trial_edits.edited_documents import CannotEdit
    from nz_explorer.editing.trial_edits.what_if import WhatIf

    what_if = WhatIf(evaluation)
    try:
        for fix in edits_of(file.read_bytes()):
            what_if.try_fix(fix)
    except (CannotEdit, ValueError) as error:
        raise click.UsageError(f"{file}: {error}") from error
    return what_if.evaluation
