"""``nz-explorer fix``."""

from __future__ import annotations

import sys

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import consent


@click.command()
@click.argument("source")
@click.option("--select", multiple=True, help="Rules to fix, by id or prefix, such as NZ-DIM.")
@click.option("--ignore", multiple=True, help="Rules to leave alone, by id or prefix.")
@click.option("--unsafe", is_flag=True, help="Also apply fixes that change what readers see.")
@options.dry_run
@options.yes
@click.option(
    "--recover",
    "how",
    flag_value="recover",
    help="Only undo, or complete, a fix that was interrupted.",
)
@options.conventions
@options.fail_on("findings that are left", severity_only=True)
def fix(
    source: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    unsafe: bool,
    how: str | None,
    conventions: str,
    fail_on: str,
) -> int:
    """Fix what can be fixed in SOURCE without a decision by a person.

    Shows what would be written and asks. All documents are written, or none. The exit code is that
    of check for the store afterwards, with the rules selected here.
    """
    from nz_explorer.editing import fix

    console = fix.Console(click.echo, color=sys.stdout.isatty())
    if how == "recover":
        fix.recover(source, console)
        return 0
    try:
        counts = fix.fix(
            source,
            console,
            select=options.split(select),
            ignore=options.split(ignore),
            unsafe=unsafe,
            conventions=conventions,
            confirm=consent(how),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return options.exit_code(counts, fail_on)
