"""How a dataset names the convention: the attributes, and the identifiers in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.text.identifiers import IDENTIFIER, KEYS, fold

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")


def tokens(value: Any, key: str = "conventions") -> list[str]:
    """Return the identifiers that a declaration lists.

    Parameters
    ----------
    value
        The attribute's value; anything but a string has none.
    key : str
        Its name: in ``Conventions`` commas separate too, as netCDF allows.

    Notes
    -----
    Source: NZ-1.0, Convention Declaration.
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    if not isinstance(value, str):
        return []
    parts = value.split(",") if key == "Conventions" else [value]
    return [token for part in parts for token in _BLANKS.split(part) if token]


def declares_nz(attributes: Mapping[str, Any]) -> bool:
    """Whether the attributes of a root group name NZ-1.0, in either attribute."""
    wanted = fold(IDENTIFIER)
    return any(fold(token) == wanted for key in KEYS for token in tokens(attributes.get(key), key))
