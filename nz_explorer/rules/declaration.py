"""NZ: how a dataset says that it follows the convention (NZ-1.0, Convention Declaration)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Group
from nz_explorer.model.document import json_type
from nz_explorer.model.json_text import json_text
from nz_explorer.rules.findings import Fail
from nz_explorer.rules.fixes import Draft, set_attribute
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Node

IDENTIFIER = "NZ-1.0"
KEYS = ("conventions", "Conventions")
"""The attribute, and the spelling that older netCDF conventions use."""

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_FOLD = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


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
    Source: NZ-1.0, Convention Declaration; rule catalogue 0.6a.
    """
    if not isinstance(value, str):
        return []
    parts = value.split(",") if key == "Conventions" else [value]
    return [token for part in parts for token in _BLANKS.split(part) if token]


def fold(token: str) -> str:
    """Return an identifier in lower case, ASCII letters only."""
    return token.translate(_FOLD)


def declares_nz(attributes: dict[str, Any]) -> bool:
    """Whether the attributes of a root group name NZ-1.0, in either attribute."""
    wanted = fold(IDENTIFIER)
    return any(fold(token) == wanted for key in KEYS for token in tokens(attributes.get(key), key))


def _is_group(node: Node) -> bool:
    return isinstance(node, Group)


@rule("NZ-DECL-002", on="root", needs=("attributes",), when=_is_group, provides="conventions")
def conventions_type(node: Node) -> Iterator[Fail]:
    """Want the declaration to be a string."""
    for key in KEYS:
        value = node.attributes.get(key, "")
        if not isinstance(value, str):
            yield Fail(
                node.attribute_pointer(key),
                f'"{key}" must be a string of space-separated identifiers, got {json_type(value)} {json_text(value)}',
                fix=partial(_as_string, key),
            )


def _as_string(key: str, node: Node) -> Draft:
    value = node.attributes.get(key)
    if (
        isinstance(value, list)
        and value
        and all(isinstance(v, str) and tokens(v) == [v] for v in value)
    ):
        return Draft("safe", set_attribute(node, key, " ".join(value)))
    return Draft(
        "suggest",
        set_attribute(node, key, IDENTIFIER),
        "add the other conventions that the data follow",
    )


@rule("NZ-DECL-001", on="root", needs=("attributes", "conventions"), when=_is_group)
def declared(node: Node) -> Iterator[Fail]:
    """Want the root group to name NZ-1.0."""
    if declares_nz(node.attributes):
        return
    message = f'the root group does not declare {IDENTIFIER} in "conventions"'
    given = next((node.attributes[key] for key in KEYS if key in node.attributes), None)
    if given is not None:
        message += f"; it says {json_text(given)}"
        if any(fold(part) == fold(IDENTIFIER) for part in re.split(r"[\s,;/]+", given)):
            message += ", where identifiers are not separated by spaces"
    yield Fail(node.attribute_pointer("conventions"), message, fix=_declare)


def _declare(node: Node) -> Draft:
    others = [
        token for token in re.split(r"[\s,;]+", node.attributes.get("conventions", "")) if token
    ]
    rest = [token for token in others if fold(token) != fold(IDENTIFIER)]
    return Draft("safe", set_attribute(node, "conventions", " ".join([IDENTIFIER, *rest])))
