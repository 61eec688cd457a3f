"""``nz-explorer tree``."""

from __future__ import annotations

import click

from nz_explorer.cli.console import print_untrusted


@click.command()
@click.argument("source")
@click.option("--depth", type=click.IntRange(0), default=None, help="Levels of groups to show.")
def tree(source: str, depth: int | None) -> None:
    """Print the groups and arrays of SOURCE as a tree."""
    from nz_explorer.model import open_store
    from nz_explorer.report import tree_text

    for line in tree_text.lines(open_store(source), depth):
        print_untrusted(line)
