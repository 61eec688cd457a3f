"""``nz-explorer check``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import WRONG, columns, complain, is_expected

if TYPE_CHECKING:
    from nz_explorer.report import batch

CONNECT_SECONDS = 10
LOOK_SECONDS = 5
"""How often a scheduler is asked for its workers."""


@click.command()
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option(
    "--sources",
    "file",
    type=click.File("r", encoding="utf-8"),
    default=None,
    help="File with more sources, one per line; - reads them from standard input.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl", "html", "markdown", "sarif", "github"]),
    default="text",
    show_default=True,
    help="jsonl writes a line for each source as soon as it is checked.",
)
@options.output("File to write the report to.")
@options.conventions
@click.option(
    "--values",
    type=click.Choice(["none", "coordinates", "all"]),
    default="coordinates",
    show_default=True,
    help="Values that may be read.",
)
@click.option(
    "--scheduler",
    default=None,
    metavar="ADDRESS",
    help="A dask.distributed scheduler, such as tcp://host:8786, whose workers read all values, or with"
    " --format jsonl check the sources.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="With --format jsonl: sources checked at the same time.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="With --format jsonl: leave out the sources that --output has a report of already.",
)
@click.option("--select", multiple=True, help="Rules to evaluate, by id or prefix, such as NZ-DIM.")
@click.option("--ignore", multiple=True, help="Rules to leave out, by id or prefix.")
@click.option(
    "--profile",
    multiple=True,
    help="Another reading of a text that contradicts itself: strict_marked, or z2_text=current.",
)
@options.fail_on("findings")
def check(  # noqa: PLR0913, PLR0917  # one for each option
    sources: tuple[str, ...],
    file: TextIO | None,
    form: str,
    output: Path | None,
    conventions: str,
    values: Any,
    scheduler: str | None,
    jobs: int,
    resume: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    profile: tuple[str, ...],
    fail_on: str,
) -> int:
    """Check one or more SOURCEs against NZ-1.0 and the specifications that it builds on.

    The report begins with what readers will make of it, predicted from the rules: nothing is run.

    The exit code is 0 if nothing at or above --fail-on was found, 1 if something was, and 2 if a source
    could not be read or the call is wrong. Options that are not given are taken from [tool.nz-explorer] in
    the pyproject.toml of this folder or of one above it.

    For thousands of sources use --format jsonl: it keeps none of them in memory, and with --resume goes on
    where it was interrupted. A SOURCE may be a pattern, such as 'data/*.zarr'.
    """
    from nz_explorer.conventions import registry
    from nz_explorer.engine.configuration import ConfigurationError, find
    from nz_explorer.report import batch

    try:
        configuration = find(Path.cwd(), registry().rules)
        if profile:
            configuration = replace(configuration, profile=tuple(options.split(profile)))
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error
    if not sources and file is None:
        raise click.UsageError("name a SOURCE, or a file of them with --sources")
    if resume and (form != "jsonl" or output is None):
        raise click.UsageError("--resume goes with --format jsonl and --output")
    if scheduler is not None and values != "all" and form != "jsonl":
        raise click.UsageError("--scheduler is for reading all values: add --values all")
    options.refuse_output(output, sources)
    every = chain(batch.expand(sources), batch.listed(file or ()))
    chosen, left_out = tuple(options.split(select)), tuple(options.split(ignore))
    wanted = batch.CheckOptions(conventions, values, chosen, left_out, configuration)
    if form == "jsonl":
        return _check_many(every, wanted, output, fail_on, scheduler, jobs, resume=resume)
    return _check_few(every, wanted, form, output, fail_on, scheduler)


def _check_few(
    sources: Iterable[str],
    wanted: batch.CheckOptions,
    form: str,
    output: Path | None,
    fail_on: str,
    scheduler: str | None,
) -> int:
    """Write one report of all sources, once they are checked."""
    from nz_explorer.report import batch
    from nz_explorer.report.check import check as check_source
    from nz_explorer.report.formats import render

    reports = []
    unread = False
    with _cluster(scheduler) as client:
        for source in sources:
            try:
                reports.append(
                    check_source(
                        source,
                        wanted.conventions,
                        wanted.values,
                        select=wanted.select,
                        ignore=wanted.ignore,
                        configuration=wanted.configuration,
                        client=client,
                    )
                )
            except ValueError as error:
                raise click.UsageError(str(error)) from error
            except Exception as error:
                if not is_expected(error):
                    raise
                complain(str(error))
                unread = True
    if reports:
        on_terminal = output is None and sys.stdout.isatty()
        text = render(reports, form, color=on_terminal, width=columns() if on_terminal else None)
        if output is None:
            click.echo(text, nl=False)
        else:
            output.write_text(text, "utf-8")
    if unread:
        return WRONG
    tally = batch.Tally()
    for report in reports:
        tally.add_report(report)
    return options.exit_code(tally.found, fail_on)


def _check_many(  # what was asked for
    sources: Iterable[str],
    wanted: batch.CheckOptions,
    output: Path | None,
    fail_on: str,
    scheduler: str | None,
    jobs: int,
    *,
    resume: bool,
) -> int:
    """Write a line for each source, as soon as it is checked."""
    import json
    from concurrent.futures import CancelledError, ThreadPoolExecutor

    from nz_explorer.report import batch

    tally = batch.Tally()
    done = batch.kept(output, tally) if resume and output is not None else set()
    left = (source for source in sources if source not in done)
    with (
        _cluster(scheduler) as client,
        ThreadPoolExecutor(jobs) if client is None else client.get_executor(pure=False) as executor,
        click.open_file(str(output or "-"), "a" if resume else "w", encoding="utf-8") as target,
    ):
        at_once = (lambda: 2 * jobs) if client is None else _twice_the_threads(client)
        lost = () if client is None else _killed()
        try:
            for line in batch.records(left, wanted, executor, at_once, lost):
                tally.add(line)
                if "error" in line:
                    complain(line["error"])
                target.write(json.dumps(line, allow_nan=False) + "\n")
                target.flush()
        except ValueError as error:  # a convention or a rule that is not known
            raise click.UsageError(str(error)) from error
        except CancelledError:
            complain(f"the scheduler at {scheduler} is gone; --resume goes on where this ended")
            return WRONG
        except BaseException:
            if client is None:
                executor.shutdown(wait=False, cancel_futures=True)
            raise
    return WRONG if tally.unread else options.exit_code(tally.found, fail_on)


def _twice_the_threads(client: Any) -> Callable[[], int]:
    """Return what tells how many sources may be under way: asked of the scheduler now and then, as workers come and go."""
    known = at = 0.0

    def most() -> int:
        nonlocal known, at
        if not known or time.monotonic() - at > LOOK_SECONDS:
            known, at = 2.0 * sum(client.ncores().values()), time.monotonic()
        return int(known)

    return most


def _killed() -> tuple[type[Exception], ...]:
    from distributed.scheduler import KilledWorker

    return (KilledWorker,)


@contextmanager
def _cluster(address: str | None) -> Iterator[Any]:
    """Give a client of a dask.distributed scheduler, None where none is asked for."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise click.UsageError(
            "--scheduler needs dask.distributed: install nz_explorer[dask]"
        ) from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, ValueError) as error:
        raise click.UsageError(f"there is no scheduler at {address}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise click.UsageError(f"the scheduler at {address} has no workers") from error
        yield client
