"""The other process: opens a store with one reader and says, node by node, what came of it.

``python -m nz_explorer.readers.probe`` takes what to do as JSON on its standard input and writes JSON lines. Before
each step it says what comes next, so that whoever started it knows where it was when it crashed or hung.
Whatever the libraries print goes to standard error, away from the lines.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

MEMORY = 8 * 1024**3
"""Bytes of address space that a reader may take, so that a hostile store cannot take the machine's memory."""
MAX_MESSAGE = 600


class Lines:
    """What is said, line by line."""

    def __init__(self, stream: TextIO, hidden: str) -> None:
        self._stream = stream
        self._hidden = hidden

    def say(self, **line: Any) -> None:
        """Write a line at once."""
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    @contextmanager
    def step(self, path: str) -> Iterator[None]:
        """Say what is tried at a node, and whether it went well."""
        self.say(at=path)
        try:
            yield
        except Exception as error:  # noqa: BLE001  # readers raise what they like, and that is the answer
            self.say(path=path, error=self.words(error))
        else:
            self.say(path=path)

    def words(self, error: BaseException) -> str:
        """Return an error in one line, without the address of the store: it may hold a secret."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        text = text.replace(self._hidden, "the store")
        return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def zarr_python(location: str, groups: list[str], arrays: list[str], lines: Lines) -> None:
    """Open each node with zarr-python, and read one element of each array."""
    import zarr

    root: Any = _opened(
        lines, lambda **options: zarr.open(location, mode="r", **options), "use_consolidated"
    )
    if isinstance(root, zarr.Array):
        with lines.step("/"):
            _read_one(root)
    for path in (*groups, *arrays):
        if path != "/":
            with lines.step(path):
                node = root[path.strip("/")]
                if isinstance(node, zarr.Array):
                    _read_one(node)


def _opened(lines: Lines, open_root: Callable[..., Any], option: str) -> Any:
    """Open the root; where consolidated metadata keep a reader from that, say so and go by the documents."""
    lines.say(at="/")
    try:
        root = open_root()
    except Exception as error:  # noqa: BLE001  # as above
        try:
            root = open_root(**{option: False})
        except Exception:  # noqa: BLE001  # then the first one counts
            raise error from None
        lines.say(
            path="/", error=f"{lines.words(error)} – without the consolidated metadata it opens"
        )
    else:
        lines.say(path="/")
    return root


def _read_one(array: Any) -> None:
    """Read one element, which decodes one chunk."""
    if 0 not in array.shape:
        array[(0,) * array.ndim]


def xarray(location: str, groups: list[str], _: list[str], lines: Lines) -> None:
    """Open each group with xarray, which opens all of its arrays or none."""
    import xarray as xr

    _opened(
        lines,
        lambda **options: xr.open_zarr(location, chunks=None, **options).close(),
        "consolidated",
    )
    for group in groups:
        if group != "/":
            with lines.step(group):
                xr.open_zarr(
                    location, group=group.strip("/"), chunks=None, consolidated=False
                ).close()


def netcdf_c(location: str, groups: list[str], arrays: list[str], lines: Lines) -> None:
    """Open the store with netCDF-C, and look at each group and variable."""
    import netCDF4

    address = location if "://" in location else Path(location).resolve().as_uri()
    lines.say(at="/")
    with netCDF4.Dataset(f"{address}#mode=zarr,{'s3' if '://' in location else 'file'}") as dataset:
        lines.say(path="/")
        for path in groups:
            if path != "/":
                with lines.step(path):
                    dataset[path]
        for path in arrays:
            with lines.step(path):
                _read_one(dataset[path])


def plain(location: str, groups: list[str], arrays: list[str], lines: Lines) -> None:
    """Read as NZ-1.0 says and no more: strict JSON, named dimensions of one length, a fill value of the data type."""
    from nz_explorer.model import Array, Group, dimension_table, open_store

    hierarchy = open_store(location).stored
    for path in (*groups, *arrays):
        with lines.step(path):
            node = hierarchy[path]
            if node.state != "ok":
                raise ValueError(node.problem)
            for document in node.documents:
                json.loads(document.raw or b"", parse_constant=_refuse, object_pairs_hook=_unique)
            if isinstance(node, Group):
                conflict = next((d for d in dimension_table(node.arrays) if d.conflict), None)
                if conflict is not None:
                    lengths = ", ".join(str(length) for length in conflict.lengths)
                    raise ValueError(f"dimension {conflict.name} has several lengths: {lengths}")
            if isinstance(node, Array):
                if node.dimension_names is None or not all(node.dimension_names):
                    raise ValueError("not every dimension has a name")
                if node.fill is not None and node.fill.problems:
                    raise ValueError(f"_FillValue: {node.fill.problems[0].why}")


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member is there twice")
    return found


Reader = Callable[[str, list[str], list[str], Lines], None]
READERS: dict[str, tuple[str, Reader]] = {
    "zarr-python": ("zarr", zarr_python),
    "xarray": ("xarray", xarray),
    "netCDF-C": ("netCDF4", netcdf_c),
    "plain NZ": ("nz_explorer", plain),
}
"""By name: the package that it needs, and what it does."""


def main() -> None:
    """Do what standard input says."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _limit_memory()
    asked = json.load(sys.stdin)
    lines = Lines(stream, asked["location"])
    package, read = READERS[asked["reader"]]
    try:
        lines.say(version=_version(package))
    except PackageNotFoundError:
        lines.say(missing=package)
        return
    warnings.simplefilter("ignore")
    try:
        read(asked["location"], asked["groups"], asked["arrays"], lines)
    except Exception as error:  # noqa: BLE001  # as above
        lines.say(path="/", error=lines.words(error))
    lines.say(done=True)


def _version(package: str) -> str:
    if package == "netCDF4":
        version(package)  # raises where it is not installed
        import netCDF4

        return str(netCDF4.__netcdf4libversion__)
    if package == "nz_explorer":
        return "1.0"
    return version(package)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
