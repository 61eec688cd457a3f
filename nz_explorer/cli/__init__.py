"""The command line ``nz-explorer``."""

from nz_explorer.cli.main import main

__all__ = ["main"]
