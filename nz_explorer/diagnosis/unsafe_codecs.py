"""Which codecs a store names could run code where zarr-python or xarray decode a chunk.

What counts is how readers interpret the documents, not how we do: each document is taken as
it is stored, with members that are there twice and without our limits to what a document may be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from nz_explorer.model import Hierarchy
from nz_explorer.store import Cancellation, ReadError

PICKLE = "pickle"
OURS = frozenset(["numcodecs", "zarr"])
"""Packages whose codecs are known: all but ``pickle`` make numbers and texts of bytes and nothing else."""
KNOWN = frozenset(
    [
        "adler32", "astype", "base64", "bitround", "blosc", "bytes", "bz2", "cast_value", "categorize", "crc32",
        "crc32c", "delta", "fixedscaleoffset", "fletcher32", "gzip", "jenkins_lookup3", "json2", "lz4", "lzma",
        "msgpack2", "n5_wrapper", "packbits", "pcodec", "quantize", "reshape", "scale_offset", "sharding_indexed",
        "shuffle", "transpose", "vlen-array", "vlen-bytes", "vlen-utf8", "zfpy", "zlib", "zstd",
    ]
)  # fmt: skip
"""Codecs of data, by their names without ``numcodecs.``."""
DOCUMENTS = ("zarr.json", ".zarray", ".zmetadata")
"""The documents that a reader takes codecs from, at any path."""
ELSEWHERE = frozenset(["attributes", "dimension_names", "fill_value"])
"""Members that name no codec."""
BATCH = 500


def could_run_code(
    hierarchy: Hierarchy, paths: Sequence[str], cancel: Cancellation | None = None
) -> str | None:
    """Return which codec of a store could run code, None where none can.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    paths : sequence of str
        The nodes that a reader is to open.
    cancel : Cancellation, optional
        Ends it.
    """
    wanted = dict.fromkeys(("/", *paths))
    keys = [f"{path}/{name}".strip("/").replace("//", "/") for path in wanted for name in DOCUMENTS]
    for first in range(0, len(keys), BATCH):
        batch = keys[first : first + BATCH]
        for key, raw in zip(batch, hierarchy.reader.get_many(batch, cancel), strict=True):
            if isinstance(raw, ReadError) or raw is None:
                continue  # the reader's own process refuses as well, whatever it is given
            if name := _dangerous(raw):
                return f"{key} {_why(name)}"
    return None


def _why(name: str) -> str:
    if _plain(name) == PICKLE:
        return "names the codec pickle, which could run any code"
    package = foreign()[_plain(name)]
    return (
        f"names the codec {name} of the package {package}: whether it could run code is not known"
    )


def _plain(name: str) -> str:
    return name.strip().casefold().removeprefix("numcodecs.")


@cache
def foreign() -> dict[str, str]:
    """Return extensions that other packages bring and that a reader would import by name, with their packages."""
    found = {}
    for group in ("numcodecs.codecs", *(g for g in entry_points().groups if g.startswith("zarr."))):
        for entry in entry_points(group=group):
            package = entry.dist.name if entry.dist is not None else "unknown"
            # a codec can also be given by its group, as in zarr.codecs.delta
            for name in {_plain(entry.name), group.removeprefix("zarr.codecs.").casefold()}:
                if package not in OURS and name not in KNOWN:
                    found[name] = package
    return found


def _dangerous(raw: bytes) -> str | None:
    """Return a name in a document that stands for code."""
    names = {PICKLE, *foreign()}
    # Most documents cannot have such a name: no byte of it is there, nor a way to write it otherwise.
    lowered = raw.lower()
    if (
        b"\\" not in raw
        and b"\0" not in raw
        and not any(name.encode() in lowered for name in names)
    ):
        return None
    try:
        document = json.loads(raw, object_pairs_hook=list)
    except (ValueError, RecursionError):
        # No reader in Python takes it; one that does takes no codec from it that is not there as bytes.
        return next((name for name in sorted(names) if name.encode() in lowered), None)
    return next((name for name in _texts(document) if _plain(name) in names), None)


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts of a document but those of members that name no codec."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, tuple):  # a member: object_pairs_hook leaves them as pairs
            name, inner = value
            if name not in ELSEWHERE and not name.endswith(".zattrs"):
                waiting.append(inner)
