"""What the other process is asked, and what it answers, line by line."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

MAX_MESSAGE = 600
MAX_VALUE = 80
MAX_FRAMES = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader is to do.

    Attributes
    ----------
    location : str
        Path or URL of the store.
    groups, arrays : list of str
        Absolute paths of the nodes that are tried.
    follow_links : bool
        Whether symbolic links are followed out of a folder.
    modes : list of str
        Words of the mode of the address, in the manner of netCDF-C: ``nczarr``, ``file``.
    zarr_format : int or None
        Of the store.
    program : list of str
        For a reader that is no Python: the program, the folder of its package, and options.
    references : dict or None
        Of references the ``source`` and the ``options`` that open it, and whether that takes a ``network``.
    """

    location: str
    groups: list[str]
    arrays: list[str]
    follow_links: bool = False
    modes: list[str] = field(default_factory=list)
    zarr_format: int | None = None
    program: list[str] = field(default_factory=list)
    references: dict[str, Any] | None = None

    @property
    def is_url(self) -> bool:
        """Whether the store is on a server."""
        return "://" in self.location

    @property
    def is_zip(self) -> bool:
        """Whether the store is a zip file."""
        return not self.is_url and Path(self.location).is_file()

    def nodes(self) -> Iterator[str]:
        """Yield groups, then arrays."""
        yield from self.groups
        yield from self.arrays


@dataclass(slots=True)
class Step:
    """What is learnt at a node.

    Attributes
    ----------
    during : str
        What is being done, for the message where it fails.
    raw : str or None
        The first value as it is stored.
    shown : str or None
        The first value as the reader gives it: decoded and masked.
    """

    during: str = "opening"
    raw: str | None = None
    shown: str | None = None


class Answers:
    """What is answered, line by line.

    Parameters
    ----------
    stream : file
        Where the lines are written.
    hidden : str
        The address of the store, which is replaced in messages: it may hold a secret.

    Attributes
    ----------
    last_error : str
        The last message; empty where nothing failed.
    """

    def __init__(self, stream: TextIO, hidden: str) -> None:
        self._stream = stream
        self._hidden = hidden
        self._read = 0
        self.last_error = ""

    @property
    def failed_only(self) -> bool:
        """Whether something failed, and nothing else was read."""
        return bool(self.last_error) and not self._read

    def fileno(self) -> int:
        """Return the descriptor that the lines are written to."""
        return self._stream.fileno()

    def write(self, **line: Any) -> None:
        """Write a line at once."""
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    @contextmanager
    def step(self, path: str) -> Iterator[Step]:
        """Report what is tried at a node, and whether it succeeded."""
        self.write(at=path)
        step = Step()
        try:
            yield step
        except Exception as error:  # noqa: BLE001  # readers raise what they like, and that is the answer
            self.failed(path, error, step.during)
        else:
            self._read += 1
            self.write(path=path, raw=step.raw, shown=step.shown)

    def failed(self, path: str, error: BaseException, during: str, more: str = "") -> None:
        """Say that a node could not be opened or read, by what kind of error, and where that was raised.

        Parameters
        ----------
        path : str
            The node.
        error : BaseException
            What was raised.
        during : str
            What was being done.
        more : str
            What is said after the message.
        """
        causes = list(_chain(error))
        frames = [
            f"{frame.f_globals.get('__name__', '')}:{frame.f_code.co_name}"
            for cause in causes
            for frame, _ in traceback.walk_tb(cause.__traceback__)
        ]
        self.last_error = self.message(error)
        self.write(
            path=path,
            error=self.last_error + more,
            kind=[type(cause).__name__ for cause in causes],
            where=frames[-MAX_FRAMES:],
            during=during,
        )

    def message(self, error: BaseException) -> str:
        """Return an error in one line, without the address of the store."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        text = text.replace(self._hidden, "the store").partition(" [tensorstore_spec=")[0]
        return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


class Unseen(LookupError):
    """A node that is there, and that a reader does not show."""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what caused it."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or (
            None if following.__suppress_context__ else following.__context__
        )


def corners(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the indices of the first and the last element, which lie in the first and the last chunk.

    Parameters
    ----------
    shape : sequence of int
        Of an array; one without elements has none.
    """
    if 0 in shape:
        return []
    first, last = (0,) * len(shape), tuple(length - 1 for length in shape)
    return [first] if first == last else [first, last]


def text_of(value: Any) -> str:
    """Return a value as text that is the same whichever library gave it.

    Parameters
    ----------
    value : object
        A value of numpy, or of Python.
    """
    import numpy as np

    if isinstance(value, np.ma.core.MaskedConstant):
        return "missing"
    found = np.asarray(value)
    if found.ndim == 0 and found.dtype.kind in "Mm":
        return str(found)
    plain = found.tolist() if found.dtype.kind != "f" else _number(found[()])
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, float):
        return "NaN" if math.isnan(plain) else repr(plain)
    text = plain if isinstance(plain, str) and found.dtype.kind == "f" else repr(plain)
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"


def _number(value: Any) -> Any:
    """Return a float as the shortest text that means it in its own precision."""
    if getattr(value, "ndim", 0):
        return value.tolist()
    plain = float(value)
    return plain if not math.isfinite(plain) else str(value)
