"""Why zarr refuses an array, in words of the metadata: zarr speaks of types of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.model import Array, configuration_of

_UNKNOWN_CODEC = re.compile(
    r"(?:codec not available: '*|An implementation for codec ')([^']+)'(?:'*| is not available\b.*)"
)
"""What numcodecs says, and zarr since 3.4."""
_OTHER_TYPE = re.compile(r"Expected (?:an? )?(\w+)[,.] [Gg]ot (?:<class ')?(\w+)(?:'>| instead\.)?")
_TYPES = {
    "iterable": "a list",
    "list": "a list",
    "dict": "an object",
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "NoneType": "null",
    "None": "null",
}
"""What zarr calls the types of values of JSON, and what they are."""

MOST_TEXT = 60
"""Characters of a value that are shown."""


def codec_names(codecs: list[Any]) -> Iterator[str]:
    """Yield the names of codecs, and of those inside of them.

    Parameters
    ----------
    codecs : list
        As an array lists them.
    """
    for codec in codecs:
        if isinstance(codec, str):
            yield codec
        elif isinstance(codec, dict):
            name = codec.get("name", codec.get("id"))
            if isinstance(name, str):
                yield name
            configuration = configuration_of(codec)
            for nested in ("codecs", "index_codecs"):
                if isinstance(configuration.get(nested), list):
                    yield from codec_names(configuration[nested])


def reason_of(array: Array, error: Exception) -> str:
    """Return in a sentence why zarr does not open an array.

    Parameters
    ----------
    array : Array
        The array.
    error : Exception
        What zarr, numcodecs or a codec raised.
    """
    from zarr.registry import get_codec_class

    if array.zarr_format == 3:
        for name in codec_names(array.codecs):
            try:
                get_codec_class(name)
            except Exception:  # noqa: BLE001  # KeyError, or an error of its own, by version
                return f'the codec "{name}" is not available here'
        if malformed := _malformed(array.metadata):
            return malformed
    text = " ".join(str(error.args[0] if error.args else error).split())
    if other := _OTHER_TYPE.search(text):
        wanted, got = (_TYPES.get(one, one) for one in other.groups())
        return f"something in the metadata is {got}, not {wanted}"
    if unknown := _UNKNOWN_CODEC.fullmatch(text):
        return f'the codec "{unknown[1]}" is not available here'
    return text[:400] or type(error).__name__


def _malformed(metadata: Mapping[str, Any]) -> str | None:
    """Return what is not written as Zarr v3 has it, of which zarr names only types of Python."""
    codecs, encoding = metadata.get("codecs"), metadata.get("chunk_key_encoding")
    if not isinstance(codecs, list):
        return f"codecs is {_brief(codecs)}, not a list"
    if not codecs:
        return "codecs is an empty list: nothing turns values into bytes"
    for codec in codecs:
        if isinstance(codec, str):
            continue
        if not isinstance(codec, dict):
            return f"codecs has {_brief(codec)}, neither a name nor an object"
        settings = codec.get("configuration", {})
        if not isinstance(settings, dict):
            name = _brief(codec.get("name"))
            return f"the configuration of the codec {name} is {_brief(settings)}, not an object"
    if not isinstance(encoding, dict | str):
        return f"chunk_key_encoding is {_brief(encoding)}, neither a name nor an object"
    return None


def _brief(value: Any) -> str:
    text = json_text(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"
