"""What commands print on a terminal, ask there, and which errors they answer for."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable

import click

WRONG = 2
"""Exit code of a call that could not be carried out."""


def is_expected(error: Exception) -> bool:
    """Whether an error speaks of the source or the call rather than of a mistake of ours."""
    from nz_explorer.lab.launcher import LaunchError
    from nz_explorer.model import NodeNotFound
    from nz_explorer.store import SourceError
    from nz_explorer.store.writing import WriteError

    return isinstance(error, (SourceError, NodeNotFound, LaunchError, WriteError, OSError))


def complain(message: str) -> None:
    """Print an error on one line of stderr."""
    from nz_explorer.text.printable import printable

    # Blanks stay as they are: there may be a quoted name of a file in a command.
    one_line = " ".join(line.strip() for line in message.splitlines())
    click.echo("nz-explorer: " + printable(one_line, limit=2000), err=True)


def print_untrusted(line: str) -> None:
    """Print a line of a stranger's text: as it is to a file, without what acts on a terminal to one."""
    from nz_explorer.text.printable import encodable, for_terminal

    click.echo(for_terminal(line) if sys.stdout.isatty() else encodable(line))


def consent(how: str | None) -> Callable[[str], bool] | None:
    """Return what is asked before something is written; None where nothing is to be written."""
    return {"dry-run": None, "yes": lambda _question: True}.get(how or "", _confirm)


def _confirm(question: str) -> bool:
    try:
        return click.confirm(question)
    except click.Abort as error:
        raise click.UsageError(
            "nothing was written: there is no one to ask; --yes writes without asking"
        ) from error


def columns() -> int:
    """Return the width of the terminal, in characters."""
    return shutil.get_terminal_size().columns
