"""``nz-explorer lab``."""

from __future__ import annotations

import click

from nz_explorer.cli import options


@click.command()
@click.argument("source")
@options.no_browser
@options.port
def lab(source: str, no_browser: bool, port: int) -> None:
    """Open JupyterLab on a notebook that explores SOURCE."""
    from nz_explorer.lab import launcher

    launcher.lab(source, browser=not no_browser, port=port)
