"""Tries changes of one module, each in a copy of this process, which has already imported what the tests need.

Started by ``python -m tests.mutation`` in the copy of the checkout that is changed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.commands.init import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec

from tests.mutation.places import without_effect

SAME = re.compile(
    r"_(Eq_Is|NotEq_IsNot|BitOr_BitXor|BitOr_Add)$"  # the same for short texts, small numbers and flags
)
"""Kinds of changes that as good as never change what is done."""
LONGER = 4
"""How many times as long as without a change the tests may take; longer than that, and a change is seen as well."""
OURS = ("nz_explorer", "tests", "conftest")


def main() -> None:
    """Print, as lines of JSON, each change that was tried, and whether it was seen."""
    path, changes, seed, *tests = sys.argv[1:]
    import_what_the_tests_need(tests)
    began = time.monotonic()
    if run_tests(tests, None) != 0:
        printed = Path("output.txt").read_text("utf-8", "replace")
        raise SystemExit(f"{printed}the tests of {path} fail as they are: {' '.join(tests)}")
    seconds = 10 + LONGER * (time.monotonic() - began)
    file = Path(path)
    for change in chosen(file, int(changes), int(seed)):
        for compiled in file.parent.glob(f"__pycache__/{file.stem}.*"):
            compiled.unlink()  # it would be taken for that of the next change of the same second
        operator = get_operator(change.operator_name)(**change.operator_args)
        with use_mutation(file, operator, change.occurrence) as (before, after):
            lines = differing(before, after or before)
            survived = run_tests(tests, seconds) == 0
        print(
            json.dumps(
                {
                    "line": change.start_pos[0],
                    "kind": change.operator_name,
                    "before": lines[0],
                    "after": lines[1],
                    "survived": survived,
                }
            ),
            flush=True,
        )


def chosen(file: Path, number: int, seed: int) -> list[MutationSpec]:
    """Return some changes, always the same, without those that cannot do anything."""
    with use_db("mutation.sqlite", WorkDB.Mode.create) as db:
        init([file], db, {})
        every = [item.mutations[0] for item in db.work_items]
    Path("mutation.sqlite").unlink()
    every.sort(key=lambda change: (change.start_pos, change.operator_name, change.occurrence))
    silent = list(without_effect(file.read_text("utf-8")))
    telling = [
        change
        for change in every
        if not any(start <= change.start_pos < end for start, end in silent)
        and not SAME.search(change.operator_name)
    ]
    return random.Random(seed).sample(telling, min(number, len(telling)))


def differing(before: str, after: str) -> tuple[str, str]:
    """Return the first line that differs, without the blanks around it, as it was and as it is."""
    for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
        if old != new:
            return old.strip(), new.strip()
    return "", ""


def import_what_the_tests_need(tests: list[str]) -> None:
    """Import the packages of others that the tests import."""

    def collect() -> int:
        result = pytest.main(["-q", "--collect-only", "-p", "no:cacheprovider", *tests])
        names = [name for name in sys.modules if name.partition(".")[0] not in OURS]
        Path("imported.json").write_text(json.dumps(names))
        return int(result)

    if in_a_copy(collect, None) != 0:
        raise SystemExit(f"the tests cannot be collected: {' '.join(tests)}")
    for name in json.loads(Path("imported.json").read_text()):
        with contextlib.suppress(ImportError):  # of modules that are no files
            importlib.import_module(name)


def run_tests(tests: list[str], seconds: float | None) -> int:
    """Run tests until one fails; return 0 where none does."""
    options = ["-x", "-q", "-p", "no:cacheprovider"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins are imported already
    return in_a_copy(lambda: int(pytest.main([*options, *tests])), seconds)


def in_a_copy(work: Callable[[], int], seconds: float | None) -> int:
    """Return what a function returns in a copy of this process, 1 where that takes too long."""
    copy = os.fork()
    if copy == 0:
        code = 1
        try:
            os.setsid()  # what the tests start ends with them
            with quiet():
                sys.dont_write_bytecode = seconds is not None
                code = work()
        finally:
            sys.stdout.flush()
            os._exit(code)
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        done, status = os.waitpid(copy, 0 if end is None else os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() > end:
            os.killpg(copy, signal.SIGKILL)
            os.waitpid(copy, 0)
            return 1
        time.sleep(0.02)


@contextlib.contextmanager
def quiet() -> Iterator[Any]:
    """Send what is printed into a file."""
    with Path("output.txt").open("w") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        yield


if __name__ == "__main__":
    main()
