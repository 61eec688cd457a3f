"""JSON values as short texts for messages."""

from __future__ import annotations

import json
import math
from typing import Any

_WORDS = {True: "true", False: "false", None: "null"}


def json_text(value: Any, limit: int = 60) -> str:
    """Return a JSON value as one short line of JSON.

    Parameters
    ----------
    value
        Any decoded JSON value, however large or deep.
    limit
        The most characters to return.

    Returns
    -------
    str
        JSON, shortened with ``…`` where it is too long. Never raises.
    """
    text = _text(value, limit, 3)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _text(value: Any, limit: int, depth: int) -> str:  # one per JSON type
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, str):
        return json.dumps(value[:limit], ensure_ascii=False)
    if isinstance(value, int):
        # str() refuses integers of more than 4300 digits
        return str(value) if value.bit_length() < 1024 else "an integer of hundreds of digits"
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if not depth:
        return "…"
    if isinstance(value, list | tuple):
        shown = [_text(item, limit, depth - 1) for item in value[:8]]
        return f"[{', '.join([*shown, '…'] if len(value) > 8 else shown)}]"
    if isinstance(value, dict):
        pairs = [
            f"{_text(str(key), limit, 0)}: {_text(item, limit, depth - 1)}"
            for key, item in list(value.items())[:8]
        ]
        return f"{{{', '.join([*pairs, '…'] if len(value) > 8 else pairs)}}}"
    return repr(value)[:limit]
