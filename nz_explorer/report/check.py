"""Check a source against the rules, from Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from nz_explorer.conventions import evaluate
from nz_explorer.engine.configuration import Configuration
from nz_explorer.engine.evaluation import Budget, Progress, Values
from nz_explorer.model import Hierarchy, open_store
from nz_explorer.report.report import Report
from nz_explorer.store import SourceError

WORDS = {
    "nodes": "reading metadata",
    "coordinates": "reading coordinates",
    "listings": "looking inside arrays",
    "entries": "comparing consolidated metadata",
}


def check(  # noqa: PLR0913, PLR0917  # the contract has them all
    source: Any,
    conventions: str | Iterable[str] = "auto",
    values: Values = "coordinates",
    budget: Budget | None = None,
    progress: bool = True,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    storage_options: dict[str, Any] | None = None,
    configuration: Configuration | None = None,
    client: Any = None,
    profile: str | Iterable[str] = (),
) -> Report:
    """Check a Zarr hierarchy against NZ-1.0 and the specifications that it builds on.

    Parameters
    ----------
    source
        A path, URL, zarr store or group – whatever `open_store` takes – or a `Hierarchy`.
    conventions : str or iterable of str
        ``auto``, or some of ``nz``, ``zarr3``, ``zarr2``, ``zcf``, ``geozarr``, ``cs``, ``nczarr``, ``cf``. With
        ``auto``, ``geozarr`` is evaluated where rules of ``GZ`` are selected.
    values : {"none", "coordinates", "all"}
        Which values may be read: none; those of arrays that are named like their dimension, up to 256 MiB;
        all of all arrays, however many they are.
    budget : Budget, optional
        How much may be read. What is left out is in `Report.not_evaluated`.
    progress : bool
        Whether to show a progress bar, on a terminal.
    select, ignore : iterable of str
        Rules by id or prefix, such as ``["NZ-DIM"]``; the longest prefix decides.
    storage_options : dict, optional
        For remote sources.
    configuration : Configuration, optional
        Settings of a project: `select` and `ignore` where none are given here, severities, and findings
        that are not wanted at some paths.
    client : dask.distributed.Client, optional
        Where the values are read with ``values="all"``, chunk by chunk; here by default. What is found
        is the same.
    profile : str or iterable of str
        Other readings of texts that contradict themselves: with ``strict_marked`` only what NZ-1.0 marks as
        its addition is required; with ``z2_text=current`` other keys in .zarray are what the text of Zarr v2 that
        is hosted today says of them, not what OGC 21-050r1 prints.

    Returns
    -------
    Report
        What was found.

    Raises
    ------
    SourceError
        If there is no hierarchy, or its root cannot be read.
    ValueError
        If a convention, a rule or a profile is not known.
    """
    hierarchy = (
        source
        if isinstance(source, Hierarchy)
        else open_store(source, storage_options=storage_options)
    )
    if hierarchy.root.state == "unreadable":
        raise SourceError(hierarchy.root.problem or f"{hierarchy.source} could not be read")
    chosen, left_out, readings = _listed(select), _listed(ignore), _listed(profile)
    if configuration is not None:
        chosen = chosen or list(configuration.select)
        left_out = left_out or list(configuration.ignore)
        readings = readings or list(configuration.profile)
    evaluation = evaluate(
        hierarchy,
        conventions,
        profile=readings,
        select=chosen,
        ignore=left_out,
        values=values,
        budget=budget,
        configuration=configuration,
        client=client,
    )
    with _bar(progress and sys.stderr.isatty()) as report_progress:
        # whoever has opened the hierarchy may want to look at its nodes
        evaluation.run(progress=report_progress, keep_nodes=source is hierarchy)
    return Report(evaluation)


def _listed(prefixes: str | Iterable[str]) -> list[str]:
    return prefixes.split(",") if isinstance(prefixes, str) else list(prefixes)


@contextmanager
def _bar(show: bool) -> Iterator[Progress | None]:
    """Give a function to call with progress, which draws a bar that vanishes at the end."""
    if not show:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("opening", total=None)

        def report_progress(what: str, done: int, total: int | None) -> None:
            bar.update(
                task, description=WORDS.get(what, f"reading {what}"), completed=done, total=total
            )

        yield report_progress
