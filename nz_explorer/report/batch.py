"""Thousands of sources, one after the other or side by side, each forgotten when it has been written.

Results are JSON Lines: a line for each source, as the report's JSON has it. That of a source that could not be read
says why in ``error``. An interrupted run goes on where it ended.
"""

from __future__ import annotations

import glob
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nz_explorer.model import open_store
from nz_explorer.report.check import check
from nz_explorer.report.report import SCHEMA
from nz_explorer.store import SourceError

if TYPE_CHECKING:
    from nz_explorer.engine.configuration import Configuration
    from nz_explorer.engine.evaluation import Values
    from nz_explorer.report.report import Report


@dataclass(frozen=True)
class CheckOptions:
    """How every source is checked; see `nz_explorer.check`."""

    conventions: str = "auto"
    values: Values = "coordinates"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    configuration: Configuration | None = None


def expand(given: Iterable[str]) -> Iterator[str]:
    """Yield sources, with the paths that patterns such as ``data/*.zarr`` stand for, sorted.

    Raises
    ------
    SourceError
        If nothing matches a pattern.
    """
    for source in given:
        if "://" in source or not glob.has_magic(source) or Path(source).exists():
            yield source
            continue
        found = sorted(glob.glob(os.path.expanduser(source), recursive=True))  # noqa: PTH111, PTH207
        if not found:
            raise SourceError(f"nothing matches {source}")
        yield from found


def listed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sources of a file: one per line, without empty lines and those that begin with ``#``."""
    for line in lines:
        source = line.strip()
        if source and not source.startswith("#"):
            yield source


def record(source: str, wanted: CheckOptions) -> dict[str, Any]:
    """Check one source and return its line.

    Parameters
    ----------
    source : str
        The store.
    wanted : CheckOptions
        How it is checked.
    """
    try:
        hierarchy = open_store(source)
        try:
            report = check(
                hierarchy,
                wanted.conventions,
                wanted.values,
                progress=False,
                select=wanted.select,
                ignore=wanted.ignore,
                configuration=wanted.configuration,
            )
            # Under the name that was given, by which it is found again.
            return {**report.to_dict(), "source": source}
        finally:
            hierarchy.close()
    except (SourceError, OSError) as error:
        return _unread(source, str(error))


def records(
    sources: Iterable[str],
    wanted: CheckOptions,
    executor: Executor,
    at_once: Callable[[], int],
    lost: tuple[type[Exception], ...] = (),
) -> Iterator[dict[str, Any]]:
    """Check sources side by side; yield each line as soon as it is there.

    No more than `at_once` sources are taken before one of them is done, so that neither they nor their results
    gather in memory.

    Parameters
    ----------
    sources : iterable of str
        The stores.
    wanted : CheckOptions
        How each of them is checked.
    executor : Executor
        Where they are checked.
    at_once : callable
        Returns how many are under way at most; asked again as workers come and go.
    lost : tuple of exception types
        What the executor raises for a source that took its workers with it.
    """
    waiting: dict[Future[dict[str, Any]], str] = {}
    left = iter(sources)
    while True:
        for source in islice(left, max(0, max(1, at_once()) - len(waiting))):
            waiting[executor.submit(record, source, wanted)] = source
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            source = waiting.pop(future)
            try:
                line = future.result()
            except lost as error:
                line = _unread(source, f"{source} was given up: {error}")
            yield line


def _unread(source: str, why: str) -> dict[str, Any]:
    return {"schema": SCHEMA, "source": source, "complete": False, "error": why}


class Tally:
    """What a run comes to, for its exit code.

    Attributes
    ----------
    unread : int
        Sources that could not be read.
    found : Counter
        Findings by severity and by impact, and sources by the reader that is affected.
    """

    def __init__(self) -> None:
        self.unread = 0
        self.found: Counter[str] = Counter()

    def add(self, line: dict[str, Any]) -> None:
        """Count one line."""
        self.unread += "error" in line
        for finding in line.get("findings", ()):
            self.found[finding["severity"]] += 1
            self.found[finding.get("impact", "")] += 1
        for reader, one in line.get("readers", {}).items():
            self.found[reader] += one["opens"] is False or bool(one.get("values"))

    def add_report(self, report: Report) -> None:
        """Count one report."""
        findings = report.findings
        for finding in findings:
            self.found[finding.severity] += 1
            self.found[finding.impact] += 1
        for reader, one in report.predicted(findings).items():
            self.found[reader] += one.is_affected


def kept(output: Path, tally: Tally) -> set[str]:
    """Return the sources that an earlier run has done, and count what it found.

    What it could not read, and a line that was not finished, are taken out of the file.

    Parameters
    ----------
    output : Path
        The file of JSON Lines; it is rewritten.
    tally : Tally
        What the findings are added to.
    """
    done: set[str] = set()
    if not output.exists():
        return done
    rest = output.with_name(output.name + ".part")
    with output.open("rb") as before, rest.open("wb") as after:
        for text in before:
            try:
                line = json.loads(text)
            except ValueError:  # the run was killed while it wrote
                continue
            if (
                isinstance(line, dict)
                and "error" not in line
                and isinstance(line.get("source"), str)
            ):
                tally.add(line)
                done.add(line["source"])
                after.write(text if text.endswith(b"\n") else text + b"\n")
    rest.replace(output)
    return done
