"""The command line: ``nz-explorer check | fix | conventions | convert-metadata | diff | tree | cdl | explain | …``.

Each command is a module of its name. Commands import what they need when they run, so that ``--help``
and shell completion answer at once. Exit codes are part of the contract: 0 nothing found, 1 findings,
2 the source could not be read or the call is wrong – with one line on stderr and no traceback.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from nz_explorer.cli.console import WRONG, complain, is_expected

COMMANDS = (
    "bisect",
    "cdl",
    "census",
    "check",
    "conventions",
    "convert-metadata",
    "corpus",
    "demo",
    "diff",
    "explain",
    "fix",
    "lab",
    "readers",
    "tree",
)
"""Names of the commands; a hyphen is an underscore in the name of the module and its function."""
COLLECT_SELDOM = (100_000, 50, 1000)
"""When Python's garbage collector looks for garbage in a command. Nodes live on: looking through them again and
again takes up to a fifth of the time on a large store."""


class _Commands(click.Group):
    """The commands, each imported when it is asked for; errors are one line on stderr and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"nz_explorer.cli.commands.{name}"), name)
        return command

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
            complain(error.format_message())
            sys.exit(WRONG)
        except click.Abort:
            complain("interrupted")
            sys.exit(130)
        except Exception as error:
            if not is_expected(error):
                raise
            complain(str(error))
            sys.exit(WRONG)
        # A command returns None or its exit code.
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nz_explorer", prog_name="nz-explorer")
def main() -> None:
    """Explore, teach and debug Zarr hierarchies under NZ-1.0."""
    before = gc.get_threshold()
    click.get_current_context().call_on_close(partial(gc.set_threshold, *before))
    gc.set_threshold(*COLLECT_SELDOM)
