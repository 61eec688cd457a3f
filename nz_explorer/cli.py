"""The command line: ``nz-explorer check | tree | cdl | explain | demo | lab``.

Commands import what they need when they run, so that ``--help`` and shell completion answer at
once. Exit codes are part of the contract: 0 nothing found, 1 findings, 2 the source could not be
read or the call is wrong – with one line on stderr and no traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

WRONG = 2
"""Exit code of a call that could not be carried out."""


class _Cli(click.Group):
    """A group whose errors are one line on stderr and exit code 2."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; see ``click.Command.main``."""
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        try:
            code: Any = run()
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            sys.exit(WRONG)
        except click.ClickException as error:
            _complain(error.format_message())
            sys.exit(WRONG)
        except click.Abort:
            _complain("interrupted")
            sys.exit(130)
        except Exception as error:
            if not _is_expected(error):
                raise
            _complain(str(error))
            sys.exit(WRONG)
        # A command returns None or its exit code.
        sys.exit(code if isinstance(code, int) else 0)


def _is_expected(error: Exception) -> bool:
    """Whether an error speaks of the source or the call rather than of a mistake of ours."""
    from nz_explorer.launch import LaunchError
    from nz_explorer.model import NodeNotFound
    from nz_explorer.store import SourceError

    return isinstance(error, (SourceError, NodeNotFound, LaunchError, OSError))


def _complain(message: str) -> None:
    click.echo("nz-explorer: " + " ".join(message.split()), err=True)


@click.group(cls=_Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nz_explorer", prog_name="nz-explorer")
def main() -> None:
    """Explore, teach and debug Zarr hierarchies under NZ-1.0."""


@main.command()
@click.option(
    "--no-browser", is_flag=True, envvar="NO_BROWSER", help="Only print the address of JupyterLab."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port; 0 picks a free one.")
def demo(no_browser: bool, port: int) -> None:
    """Open JupyterLab on a notebook that explores a sample dataset."""
    from nz_explorer import launch

    launch.demo(browser=not no_browser, port=port)


@main.command()
@click.argument("source")
@click.option(
    "--no-browser", is_flag=True, envvar="NO_BROWSER", help="Only print the address of JupyterLab."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port; 0 picks a free one.")
def lab(source: str, no_browser: bool, port: int) -> None:
    """Open JupyterLab on a notebook that explores SOURCE."""
    from nz_explorer import launch

    launch.lab(source, browser=not no_browser, port=port)


@main.command()
@click.argument("source")
@click.option("--depth", type=click.IntRange(0), default=None, help="Levels of groups to show.")
def tree(source: str, depth: int | None) -> None:
    """Print the groups and arrays of SOURCE as a tree."""
    from nz_explorer import outline
    from nz_explorer.model import open_store

    for line in outline.lines(open_store(source), depth):
        click.echo(line)


@main.command()
@click.argument("source")
@click.option("--group", default="/", show_default=True, help="Path of the group, or array, to print.")
def cdl(source: str, group: str) -> None:
    """Print SOURCE as CDL, as ``ncdump -h`` prints a netCDF file."""
    from nz_explorer.model import open_store
    from nz_explorer.netcdf import cdl as cdl_lines

    for line in cdl_lines(open_store(source)[group]):
        click.echo(line.text)


if __name__ == "__main__":
    main()
