"""``nz-explorer conventions``."""

from __future__ import annotations

import click

from nz_explorer.cli import options


@click.command()
@click.argument("source")
@options.json_or_text
def conventions(source: str, form: str) -> None:
    """List the conventions that SOURCE declares, uses and conforms to, and the steps to NZ-1.0."""
    import json

    from nz_explorer.report.check import check as check_source
    from nz_explorer.report.formats.text import conformance_text

    conformance = check_source(source).conformance
    if form == "json":
        click.echo(json.dumps(conformance.to_dict(), indent=2, allow_nan=False))
    else:
        click.echo(conformance_text(conformance), nl=False)
