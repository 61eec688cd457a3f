"""``nz-explorer demo``."""

from __future__ import annotations

import click

from nz_explorer.cli import options


@click.command()
@options.no_browser
@options.port
def demo(no_browser: bool, port: int) -> None:
    """Open JupyterLab on a notebook that explores a sample dataset."""
    from nz_explorer.lab import launcher

    launcher.demo(browser=not no_browser, port=port)
