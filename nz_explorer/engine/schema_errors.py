"""Errors of JSON Schema in words: jsonschema's own speak of values as Python writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nz_explorer.documents.json_text import json_text
from nz_explorer.text.phrases import article

if TYPE_CHECKING:
    from jsonschema import ValidationError


def in_words(error: ValidationError) -> str:
    """Return what is wrong with a value.

    Parameters
    ----------
    error : ValidationError
        What jsonschema has found.
    """
    given, wanted = json_text(error.instance), error.validator_value
    match error.validator:
        case "type":
            types = [wanted] if isinstance(wanted, str) else list(wanted)
            return f"must be {' or '.join(map(_a, types))}, got {given}"
        case "required":
            return f"{error.message.partition(' is a required')[0].strip(chr(39))} is missing"
        case "enum":
            return f"must be {_either(map(json_text, wanted))}, got {given}"
        case "const":
            return f"must be {json_text(wanted)}, got {given}"
        case "pattern":
            return f"{given} does not match {wanted}"
        case "not":  # which jsonschema explains by the schema
            return f"{given} is not allowed"
        case "additionalProperties" if isinstance(error.instance, dict):
            known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
            extra = [json_text(name) for name in error.instance if name not in known]
            return f"{', '.join(extra)} {'is' if len(extra) == 1 else 'are'} not allowed here"
        case "anyOf" | "oneOf":
            missing = [part for part in error.context or () if part.validator == "required"]
            if len(missing) == len(wanted):
                return f"{_either(in_words(part).removesuffix(' is missing') for part in missing)} is required"
    return str(error.message)


def _a(name: str) -> str:
    return name if name == "null" else article(name)


def _either(texts: Iterable[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last
