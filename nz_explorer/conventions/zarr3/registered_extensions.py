"""What is registered for Zarr v3: codecs, chunk grids, names. Pinned; see `COMMIT`.

Facts of the Zarr v3.1 core and of zarr-developers/zarr-extensions, written down here so that no check
needs the network and every check of one version gives the same answer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

COMMIT = "4da7b37a84f76e660902f6d3de3eaef0e0febae6"
"""Of zarr-extensions, 14 July 2026."""
EXTENSION_NAME = re.compile(r"[a-z][a-z0-9\-_.]+")
URI_NAME = re.compile(r"urn:.+|[A-Za-z][A-Za-z0-9+.-]*://.*", re.DOTALL)
"""Names that were URIs, as they had to be once; ``foo:bar`` is an invalid name to the text."""
CHUNK_GRIDS = frozenset({"regular", "rectilinear"})
CHUNK_KEYS = frozenset({"default", "v2"})
PROPOSED_CHUNK_KEYS = frozenset({"fanout", "prefix", "suffix", "template"})
"""Those that pull requests of zarr-extensions propose, none of which was merged."""
UNREGISTERED_TYPES = frozenset(
    [
        "fixed_length_ascii",
        "null_terminated_bytes",
        "raw_bytes",
        "variable_length_bytes",
        "variable_length_utf8",
    ]
)
"""Data types that programs write, so that they are known here, and nobody has registered."""

Kind = Literal["array to array", "array to bytes", "bytes to bytes"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a member of a configuration may be, and its description in messages."""

    text: str
    allows: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Codec:
    """A registered codec.

    Attributes
    ----------
    kind : str
        What it turns into what.
    members : mapping or None
        The members of its configuration; None where they are not checked.
    required : tuple of str
        Members that have to be there.
    """

    kind: Kind
    members: Mapping[str, Setting] | None = field(default_factory=dict)
    required: tuple[str, ...] = ()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _integer(low: int) -> Setting:
    return Setting(f"an integer of {low} or more", lambda v: type(v) is int and v >= low)


def _one_of(*words: str) -> Setting:
    return Setting(" or ".join(words), lambda v: v in words)


ANYTHING = Setting("anything", lambda _: True)
NUMBER = Setting("a number", _is_number)
OPTIONAL_BIT = Setting(
    "null or an integer of 0 or more", lambda v: v is None or (type(v) is int and v >= 0)
)
LEVEL = Setting("a number from −131072 to 22", lambda v: _is_number(v) and -131072 <= v <= 22)
BOOLEAN = Setting("true or false", lambda v: isinstance(v, bool))
OBJECT = Setting("an object", lambda v: isinstance(v, dict))
LIST = Setting("a list", lambda v: isinstance(v, list))
TYPE = Setting("a data type", lambda v: isinstance(v, str | dict))

A2A: Kind = "array to array"
A2B: Kind = "array to bytes"
B2B: Kind = "bytes to bytes"

CODECS: dict[str, Codec] = {
    "bitround": Codec(A2A, {"keepbits": _integer(0)}, ("keepbits",)),
    "blosc": Codec(B2B, None),
    "bytes": Codec(A2B, None),
    "cast_value": Codec(
        A2A,
        {
            "data_type": TYPE,
            "rounding": _one_of(
                "nearest-even",
                "towards-zero",
                "towards-positive",
                "towards-negative",
                "nearest-away",
            ),
            "out_of_range": _one_of("clamp", "wrap"),
            "scalar_map": OBJECT,
        },
        ("data_type",),
    ),
    "conditional": Codec(B2B, None),
    "crc32c": Codec(B2B, None),
    "gzip": Codec(B2B, None),
    "n5_default": Codec(A2B, {"codecs": LIST}, ("codecs",)),
    "packbits": Codec(
        A2B,
        {
            # the text of the registration and zarrs have the first names, its schema has the others
            "padding_encoding": _one_of(
                "first_byte", "last_byte", "none", "start_byte", "end_byte"
            ),
            "first_bit": OPTIONAL_BIT,
            "last_bit": OPTIONAL_BIT,
            "start_bit": OPTIONAL_BIT,
            "end_bit": OPTIONAL_BIT,
        },
    ),
    "reshape": Codec(A2A, {"shape": LIST}, ("shape",)),
    "scale_offset": Codec(A2A, {"offset": ANYTHING, "scale": ANYTHING}),
    "sharding_indexed": Codec(A2B, None),
    "transpose": Codec(A2A, None),
    "vlen-bytes": Codec(A2B),
    "vlen-utf8": Codec(A2B),
    "zfp": Codec(
        A2B,
        {
            "mode": _one_of(
                "reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"
            ),
            "minbits": _integer(0),
            "maxbits": _integer(0),
            "maxprec": _integer(0),
            "minexp": Setting("an integer", lambda v: type(v) is int),
            "tolerance": NUMBER,
            "rate": NUMBER,
            "precision": _integer(0),
        },
        ("mode",),
    ),
    "zstd": Codec(B2B, {"level": LEVEL, "checksum": BOOLEAN}, ("level",)),
    "numcodecs.bitround": Codec(A2A, None),  # an alias that the register allows, not for new data
}
"""Codecs of the core and of the register, by name."""
