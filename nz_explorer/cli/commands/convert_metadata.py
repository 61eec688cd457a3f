"""``nz-explorer convert-metadata``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import consent


@click.command("convert-metadata")
@click.argument("source")
@options.dry_run
@options.yes
@options.output("File to put the changes in, as JSON patches; the store is left as it is.")
def convert_metadata(source: str, how: str | None, output: Path | None) -> int:
    """Write the metadata of NZ-1.0 into the Zarr v3 store SOURCE, derived from its other metadata.

    Names of dimensions come from _ARRAY_DIMENSIONS and from NCZarr metadata, scalars get an empty list,
    and the root declares NZ-1.0 if nothing else is missing. Shows what would be written and asks. All documents
    are written, or none. The exit code is 1 if the store does not keep NZ-1.0 afterwards.
    """
    from nz_explorer.editing import convert, fix

    console = fix.Console(click.echo, color=sys.stdout.isatty())
    options.refuse_output(output, [source])
    confirm = consent(how)
    return int(not convert.convert(source, console, confirm=confirm, output=output))
