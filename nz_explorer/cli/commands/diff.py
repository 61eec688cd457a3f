"""``nz-explorer diff``."""

from __future__ import annotations

import click

from nz_explorer.cli import options


@click.command()
@click.argument("left")
@click.argument("right")
@options.json_or_text
@options.conventions
def diff(left: str, right: str, form: str, conventions: str) -> int:
    """Compare LEFT with RIGHT: nodes, dimensions, metadata, attributes, findings.

    Values are not compared. The exit code is 0 if nothing differs, 1 if something does.
    """
    from nz_explorer.report.store_diff import compare

    try:
        comparison = compare(left, right, conventions=conventions.split(","))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    click.echo(comparison.to_json() if form == "json" else comparison.to_text())
    return 0 if comparison.equal else 1
