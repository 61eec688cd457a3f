"""Fuzz a part of the package: ``python -m tests.hostile.fuzz documents 100000``.

With atheris (``pip install atheris``), which chooses what reaches new code and takes five times as long; without it, or
with ``--blind``, by chance, the same for the same ``--seed``. The first case that raises, takes more than 5 s of the
processor (or waits for a minute) or more than 1 GiB ends the run with its traceback.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import logging
import random
import resource
import signal
import sys
import time
from typing import Any

SECONDS = 5
SECONDS_OF_TALK = 60
WAITING_SECONDS = 60
MEBIBYTES = 1024


class Chance:
    """Choices by chance."""

    def __init__(self, seed: str) -> None:
        self._dice = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        """Return an integer, both ends included."""
        return self._dice.randint(low, high)

    def data(self, most: int) -> bytes:
        """Return some bytes."""
        return self._dice.randbytes(self.integer(0, most))


class Chosen:
    """Choices of atheris."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def integer(self, low: int, high: int) -> int:
        """Return an integer, both ends included."""
        number: int = self._provider.ConsumeIntInRange(low, high)
        return number

    def data(self, most: int) -> bytes:
        """Return some bytes."""
        some: bytes = self._provider.ConsumeBytes(self.integer(0, most))
        return some


def blindly(name: str, count: int, seed: int) -> None:
    """Run cases by chance."""
    from tests.hostile.cases import CASES

    began = time.monotonic()
    longest = 0.0
    # By the processor's time: on a busy machine anything takes long by the clock.
    faulthandler.register(signal.SIGPROF, all_threads=True, chain=True)
    for number in range(count):
        signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_TALK if name == "talks" else SECONDS)
        faulthandler.dump_traceback_later(WAITING_SECONDS, exit=True)
        start = time.process_time()
        try:
            CASES[name](Chance(f"{seed} {number}"))
        except Exception:
            print(f"{name} {seed} {number} failed", file=sys.stderr)
            raise
        longest = max(longest, time.process_time() - start)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        if used > MEBIBYTES:
            raise MemoryError(f"{name} {seed} {number} took {used} MiB")
        if number % 1000 == 999:
            print(f"{number + 1} {name}, the longest {longest:.1f} s, {used} MiB", flush=True)
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()
    print(f"{count} {name} in {time.monotonic() - began:.0f} s")


def by_coverage(name: str, count: int, files: list[str]) -> None:
    """Run cases that atheris chooses."""
    import atheris

    with atheris.instrument_imports(include=["nz_explorer"]):
        from tests.hostile.cases import CASES

    options = [f"-runs={count}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEBIBYTES}"]
    options += ["-max_len=256", "-len_control=0", *files]

    def run(data: bytes) -> None:
        CASES[name](Chosen(atheris.FuzzedDataProvider(data)))

    atheris.Setup([sys.argv[0], *options], run)
    atheris.Fuzz()


def main() -> None:
    """Run as many cases as the command line says."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "name",
        choices=["documents", "splices", "talks", "limits", "keys", "chunks", "messages"],
    )
    options.add_argument("count", type=int)
    options.add_argument("--blind", action="store_true")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("files", nargs="*", help="cases that atheris kept, to be run again")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    if given.blind or importlib.util.find_spec("atheris") is None:
        blindly(given.name, given.count, given.seed)
    else:
        by_coverage(given.name, given.count, given.files)


if __name__ == "__main__":
    main()
