"""Fuzz a part of the package with atheris: ``python -m tests.hostile.fuzz documents 100000``.

atheris (``pip install atheris``) chooses what reaches new code. The first case that raises, takes more than 5 s or more
than 1 GiB ends the run with its traceback and is kept as a file, which is run again when its name is given as well.
"""

from __future__ import annotations

import logging
import sys

import atheris

with atheris.instrument_imports(include=["nz_explorer"]):
    from tests.hostile.cases import CASES


class Chosen:
    """Choices of atheris."""

    def __init__(self, data: bytes) -> None:
        self._provider = atheris.FuzzedDataProvider(data)

    def integer(self, low: int, high: int) -> int:
        """Return an integer, both ends included."""
        number: int = self._provider.ConsumeIntInRange(low, high)
        return number

    def data(self, most: int) -> bytes:
        """Return some bytes."""
        some: bytes = self._provider.ConsumeBytes(self.integer(0, most))
        return some


def main() -> None:
    """Run as many cases as the command line says."""
    name, count, *files = sys.argv[1:]
    case = CASES[name]
    logging.disable(logging.CRITICAL)
    options = [
        f"-runs={count}",
        "-timeout=5",
        "-rss_limit_mb=1024",
        "-max_len=256",
        "-len_control=0",
        *files,
    ]
    atheris.Setup([sys.argv[0], *options], lambda data: case(Chosen(data)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
