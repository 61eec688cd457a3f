"""Options that several commands have, and what is made of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

SEVERE: dict[str, tuple[str, ...]] = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "never": (),
}
"""Severities that make the exit code 1, by what is asked for."""
MEANT: dict[str, tuple[str, ...]] = {"blocks": ("blocks",), "values": ("blocks", "values")}
"""Impacts that do."""
MINDED = {"xarray": "xarray", "zarr-python": "zarr-python", "netcdf-c": "netCDF-C"}
"""Readers that do where they cannot open or read something, or give wrong values."""


class OutputFile(click.Path):
    """A file to write to, which must not lie in a store: what is there, also a link, is a stranger's."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; see `click.Path.convert`.

        Parameters
        ----------
        value
            What was given.
        param, ctx
            For messages.
        """
        from nz_explorer.store.local.places import store_around

        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if store := store_around(path.parent):
            self.fail(f"{path} lies in the Zarr store {store}; nothing was written", param, ctx)
        return path


def refuse_output(output: Path | None, sources: Iterable[str]) -> None:
    """Refuse to write over what is checked, or into it where its root has no metadata.

    Parameters
    ----------
    output : Path or None
        Where a report is to be written.
    sources : iterable of str
        What is checked.

    Raises
    ------
    click.UsageError
        If the report would lie in one of the sources.
    """
    if output is None:
        return
    place = output.resolve()
    for source in map(Path, sources):
        if source.exists() and place.is_relative_to(source.resolve()):
            raise click.UsageError(
                f"{output} lies in {source}, which is only read; nothing was written"
            )


def exit_code(found: Mapping[str, int], fail_on: str) -> int:
    """Return 1 where there is what is asked for, else 0.

    Parameters
    ----------
    found : mapping of str to int
        Number of findings by severity and by impact, and of stores by the reader that is affected.
    fail_on : str
        A key of `SEVERE`, `MEANT` or `MINDED`.
    """
    reader = MINDED.get(fail_on)
    wanted = (reader,) if reader else {**SEVERE, **MEANT}[fail_on]
    return int(any(found.get(what, 0) for what in wanted))


def split(prefixes: tuple[str, ...]) -> list[str]:
    """Return the parts of options that may be repeated and may hold several values with commas between them."""
    return [part.strip() for prefix in prefixes for part in prefix.split(",") if part.strip()]


class _Conventions(click.Option):
    """Names the conventions that are installed, which are looked up only where help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and what it does."""
        from nz_explorer.conventions import registry

        self.help = f"Comma-separated: {', '.join(('auto', *registry().askable))}."
        return super().get_help_record(ctx)


conventions = click.option(
    "--conventions", cls=_Conventions, default="auto", show_default=True, metavar="NAMES"
)
json_or_text = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
no_browser = click.option(
    "--no-browser", is_flag=True, envvar="NO_BROWSER", help="Only print the address of JupyterLab."
)
port = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port; 0 picks a free one."
)
dry_run = click.option(
    "--dry-run", "how", flag_value="dry-run", help="Only show what would be written."
)
yes = click.option("--yes", "how", flag_value="yes", help="Write without asking.")


def output(what: str) -> Callable[[Command], Command]:
    """Return the option ``--output`` with its help."""
    return click.option("--output", type=OutputFile(), default=None, help=what)


def fail_on(which: str, *, severity_only: bool = False) -> Callable[[Command], Command]:
    """Return the option ``--fail-on``.

    Parameters
    ----------
    which : str
        The findings that it speaks of.
    severity_only : bool
        Whether it goes by severity alone.
    """
    more = (
        ""
        if severity_only
        else (
            ", or their impact: blocks, values (or blocks), or a reader that cannot open or read it or gives"
            " wrong values"
        )
    )
    return click.option(
        "--fail-on",
        type=click.Choice(list(SEVERE if severity_only else {**SEVERE, **MEANT, **MINDED})),
        default="error",
        show_default=True,
        help=f"Lowest severity of {which} that makes the exit code 1{more}.",
    )
