"""The command line: ``nz-explorer check | fix | conventions | convert-metadata | diff | tree | cdl | explain | …``.

Commands import what they need when they run, so that ``--help`` and shell completion answer at
once. Exit codes are part of the contract: 0 nothing found, 1 findings, 2 the source could not be
read or the call is wrong – with one line on stderr and no traceback.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from nz_explorer.rules import many

WRONG = 2
"""Exit code of a call that could not be carried out."""
SEVERE: dict[str, tuple[str, ...]] = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "never": (),
}
"""Severities that make the exit code 1, by what is asked for."""
CONNECT_SECONDS = 10


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
    from nz_explorer.store.writing import WriteError

    return isinstance(error, (SourceError, NodeNotFound, LaunchError, WriteError, OSError))


def _complain(message: str) -> None:
    from nz_explorer.model.printable import printable

    click.echo("nz-explorer: " + printable(" ".join(message.split()), limit=2000), err=True)


def _say(line: str) -> None:
    """Print a line of a stranger's text: as it is to a file, without what acts on a terminal to one."""
    from nz_explorer.model.printable import encodable, for_terminal

    click.echo(for_terminal(line) if sys.stdout.isatty() else encodable(line))


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
        _say(line)


@main.command()
@click.argument("source")
@click.option(
    "--group", default="/", show_default=True, help="Path of the group, or array, to print."
)
@click.option(
    "--special", is_flag=True, help="Add special attributes such as _ChunkSizes, like ncdump -s."
)
@click.option("--name", default=None, help="Name of the dataset; that of the source by default.")
def cdl(source: str, group: str, special: bool, name: str | None) -> None:
    """Print SOURCE as CDL, as ``ncdump -h`` prints a netCDF file."""
    from nz_explorer.model import open_store
    from nz_explorer.netcdf import cdl as cdl_lines

    for line in cdl_lines(open_store(source)[group], name, special=special):
        _say(line.text)


@main.command()
@click.argument("source")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="How long each reader may take.",
)
def readers(source: str, form: str, seconds: float) -> int:
    """Let zarr-python, xarray, netCDF-C and a plain NZ reader open SOURCE, each in a process of its own.

    Each failure comes with the rules that most likely stand behind it. The exit code is 0 if all readers that
    are installed read everything, 1 if one does not.
    """
    import json

    from nz_explorer.readers import READERS, try_reader, words
    from nz_explorer.rules.check import check as check_source

    evaluation = check_source(source).evaluation
    trials = [try_reader(name, evaluation.hierarchy, seconds=seconds) for name in READERS]
    if form == "json":
        click.echo(json.dumps([words.to_dict(trial, evaluation) for trial in trials], indent=2))
    else:
        for trial in trials:
            for line in words.lines(trial, evaluation):
                _say(line)
    return 1 if any(trial.state in words.TROUBLE for trial in trials) else 0


@main.command()
@click.argument("left")
@click.argument("right")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@click.option("--conventions", default="auto", show_default=True, help="As for check.")
def diff(left: str, right: str, form: str, conventions: str) -> int:
    """Compare LEFT with RIGHT: nodes, dimensions, metadata, attributes, findings.

    Values are not compared. The exit code is 0 if nothing differs, 1 if something does.
    """
    from nz_explorer.rules.two_stores import compare

    try:
        comparison = compare(left, right, conventions=conventions.split(","))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    click.echo(comparison.to_json() if form == "json" else comparison.to_text())
    return 0 if comparison.equal else 1


@main.command()
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option(
    "--sources",
    "file",
    type=click.File("r", encoding="utf-8"),
    default=None,
    help="File with more sources, one in a line; - reads them from standard input.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl", "html", "markdown", "sarif"]),
    default="text",
    show_default=True,
    help="jsonl writes a line for each source as soon as it is checked.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File to write the report to.",
)
@click.option(
    "--conventions",
    default="auto",
    show_default=True,
    help="Comma-separated: auto, nz, zarr3, zarr2, zcf, geozarr, cs, nczarr.",
)
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
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Severity from which on findings make the exit code 1.",
)
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
    fail_on: str,
) -> int:
    """Check one or more SOURCEs against NZ-1.0 and what it stands on.

    The exit code is 0 if nothing at or above --fail-on was found, 1 if something was, and 2 if a source
    could not be read or the call is wrong. Options that are not given are taken from [tool.nz-explorer] in
    the pyproject.toml of this folder or of one above it.

    For thousands of sources use --format jsonl: it keeps none of them in memory, and with --resume goes on
    where it was interrupted. A SOURCE may be a pattern, such as 'data/*.zarr'.
    """
    from nz_explorer.rules import many
    from nz_explorer.rules.configuration import ConfigurationError, find

    try:
        configuration = find(Path.cwd())
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error
    if not sources and file is None:
        raise click.UsageError("name a SOURCE, or a file of them with --sources")
    if resume and (form != "jsonl" or output is None):
        raise click.UsageError("--resume goes with --format jsonl and --output")
    if scheduler is not None and values != "all" and form != "jsonl":
        raise click.UsageError("--scheduler is for reading all values: add --values all")
    every = chain(many.expand(sources), many.listed(file or ()))
    chosen, left_out = tuple(_split(select)), tuple(_split(ignore))
    wanted = many.Wanted(conventions, values, chosen, left_out, configuration)
    if form == "jsonl":
        return _check_many(every, wanted, output, fail_on, scheduler, jobs, resume=resume)
    return _check_few(every, wanted, form, output, fail_on, scheduler)


def _check_few(
    sources: Iterable[str],
    wanted: many.Wanted,
    form: str,
    output: Path | None,
    fail_on: str,
    scheduler: str | None,
) -> int:
    """Write one report of all sources, once they are checked."""
    from nz_explorer.rules.check import check as check_source
    from nz_explorer.rules.formats import render

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
                if not _is_expected(error):
                    raise
                _complain(str(error))
                unread = True
    if reports:
        on_terminal = output is None and sys.stdout.isatty()
        text = render(reports, form, color=on_terminal, width=_columns() if on_terminal else None)
        if output is None:
            click.echo(text, nl=False)
        else:
            output.write_text(text, "utf-8")
    if unread:
        return WRONG
    return int(any(getattr(r.counts, severity) for r in reports for severity in SEVERE[fail_on]))


def _check_many(  # what was asked for
    sources: Iterable[str],
    wanted: many.Wanted,
    output: Path | None,
    fail_on: str,
    scheduler: str | None,
    jobs: int,
    *,
    resume: bool,
) -> int:
    """Write a line for each source, as soon as it is checked."""
    import json
    from concurrent.futures import ThreadPoolExecutor

    from nz_explorer.rules import many

    tally = many.Tally()
    done = many.kept(output, tally) if resume and output is not None else set()
    left = (source for source in sources if source not in done)
    with (
        _cluster(scheduler) as client,
        ThreadPoolExecutor(jobs) if client is None else client.get_executor(pure=False) as executor,
        click.open_file(str(output or "-"), "a" if resume else "w", encoding="utf-8") as target,
    ):
        at_once = 2 * (jobs if client is None else sum(client.ncores().values()))
        try:
            for line in many.records(left, wanted, executor, at_once):
                tally.add(line)
                if "error" in line:
                    _complain(line["error"])
                target.write(json.dumps(line, allow_nan=False) + "\n")
                target.flush()
        except ValueError as error:  # a convention or a rule that is not known
            raise click.UsageError(str(error)) from error
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return WRONG if tally.unread else _exit_code(tally.found, fail_on)


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
        yield client


@main.command()
@click.argument("source")
@click.option("--select", multiple=True, help="Rules to fix, by id or prefix, such as NZ-DIM.")
@click.option("--ignore", multiple=True, help="Rules to leave alone, by id or prefix.")
@click.option("--unsafe", is_flag=True, help="Also fixes after which readers see something else.")
@click.option("--dry-run", "how", flag_value="dry-run", help="Only show what would be written.")
@click.option("--yes", "how", flag_value="yes", help="Write without asking.")
@click.option(
    "--recover",
    "how",
    flag_value="recover",
    help="Only take back, or complete, a fix that was interrupted.",
)
@click.option(
    "--conventions",
    default="auto",
    show_default=True,
    help="Comma-separated: auto, nz, zarr3, zarr2, zcf, geozarr, cs, nczarr.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Severity from which on findings that are left make the exit code 1.",
)
def fix(
    source: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    unsafe: bool,
    how: str | None,
    conventions: str,
    fail_on: str,
) -> int:
    """Fix what can be fixed in SOURCE without a person's choice.

    Shows what would be written and asks. All documents are written, or none. The exit code is that of check for
    the store as it is left, as far as the rules are selected.
    """
    from nz_explorer.rules import fix_command

    console = fix_command.Console(click.echo, color=sys.stdout.isatty())
    if how == "recover":
        fix_command.recover(source, console)
        return 0
    try:
        counts = fix_command.fix(
            source,
            console,
            select=_split(select),
            ignore=_split(ignore),
            unsafe=unsafe,
            conventions=conventions,
            confirm=_consent(how),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return _exit_code(counts, fail_on)


@main.command()
@click.argument("source")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def conventions(source: str, form: str) -> None:
    """Say which conventions SOURCE declares, uses and keeps, and what NZ-1.0 still lacks."""
    import json

    from nz_explorer.rules.check import check as check_source
    from nz_explorer.rules.formats.text import standing_text

    standing = check_source(source).standing
    if form == "json":
        click.echo(json.dumps(standing.to_dict(), indent=2, allow_nan=False))
    else:
        click.echo(standing_text(standing), nl=False)


@main.command("convert-metadata")
@click.argument("source")
@click.option("--dry-run", "how", flag_value="dry-run", help="Only show what would be written.")
@click.option("--yes", "how", flag_value="yes", help="Write without asking.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File to put the changes in, as JSON patches; the store is left as it is.",
)
def convert_metadata(source: str, how: str | None, output: Path | None) -> int:
    """Write the metadata of NZ-1.0 into the Zarr v3 store SOURCE, from what its own dialect says.

    Names of dimensions come from _ARRAY_DIMENSIONS and from what netCDF-C noted, scalars say that they have none,
    and the root declares NZ-1.0 if nothing else is missing. Shows what would be written and asks. All documents
    are written, or none. The exit code is 1 if the store does not keep NZ-1.0 afterwards.
    """
    from nz_explorer.rules import convert_command, fix_command

    console = fix_command.Console(click.echo, color=sys.stdout.isatty())
    confirm = _consent(how)
    return int(not convert_command.convert(source, console, confirm=confirm, output=output))


def _consent(how: str | None) -> Callable[[str], bool] | None:
    """Return what is asked before something is written; None where nothing is to be written."""
    return {"dry-run": None, "yes": lambda _question: True}.get(how or "", _confirm)


def _confirm(question: str) -> bool:
    try:
        return click.confirm(question)
    except click.Abort as error:
        raise click.UsageError(
            "nothing was written: there is no one to ask; --yes writes without asking"
        ) from error


def _exit_code(counts: Any, fail_on: str) -> int:
    return int(any(counts[severity] for severity in SEVERE[fail_on]))


def _split(prefixes: tuple[str, ...]) -> list[str]:
    return [part.strip() for prefix in prefixes for part in prefix.split(",") if part.strip()]


def _columns() -> int:
    return shutil.get_terminal_size().columns


@main.command()
@click.argument("rule", required=False)
@click.option(
    "--all", "every", is_flag=True, help="List all rules, also those that do not work yet."
)
def explain(rule: str | None, every: bool) -> None:
    """Explain a RULE: what it says, why, where it comes from, and how to keep it."""
    from nz_explorer.rules import catalogue
    from nz_explorer.rules.formats.text import rule_text, rules_text

    color = sys.stdout.isatty()
    width = _columns() if color else None
    if every or rule is None:
        if not every:
            raise click.UsageError("name a rule, such as NZ-DIM-010, or ask for --all")
        click.echo(rules_text(catalogue.rules().values(), color=color, width=width), nl=False)
        return
    found = catalogue.find(rule)
    if not found:
        import difflib

        near = difflib.get_close_matches(rule.upper(), catalogue.rules(), n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else "; explain --all lists all rules"
        raise click.UsageError(f"there is no rule {rule}{hint}")
    if len(found) == 1:
        click.echo(rule_text(found[0], color=color, width=width or 100), nl=False)
    else:
        click.echo(rules_text(found, color=color, width=width), nl=False)


if __name__ == "__main__":
    main()
