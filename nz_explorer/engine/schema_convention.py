"""Conventions that are a JSON Schema and nothing else: each violation of it is a finding with a pointer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.catalogue import RuleInfo, Source
from nz_explorer.engine.convention import Convention
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import RuleFunction
from nz_explorer.engine.schema_errors import in_words

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

    from nz_explorer.model import Node

MOST_VIOLATIONS = 50
"""Violations of one schema that are reported for one node; a document that has more is another document."""
MOST_CHARACTERS = 300


def schema_convention(  # noqa: PLR0913  # keyword-only, one for each field of a convention
    *,
    key: str,
    name: str,
    title: str,
    family: str,
    schema: Path | Mapping[str, Any],
    place: str | None = None,
    used_where: tuple[str, ...] = (),
    section: str = "JSON Schema",
    declared_how: Callable[[Mapping[str, Any]], bool] | None = None,
) -> Convention:
    """Return a convention that is kept where a JSON Schema is.

    The schema is a file of the package that adds the convention, or an object. It is never fetched,
    and neither is anything that it refers to.

    Parameters
    ----------
    key, name, title : str
        See `Convention`.
    family : str
        Prefix of the id of its rule, in capitals: ``SEA`` gives ``SEA-SCHEMA-001``.
    schema : Path or mapping
        The JSON Schema.
    place : str, optional
        Attribute that the schema describes; by default it describes the object of all attributes.
    used_where : tuple of str
        Attributes that show that a node uses the convention; by default `place`.
    section : str
        What the rule cites.
    declared_how : callable, optional
        See `Convention`.

    Returns
    -------
    Convention
        With one rule.

    Raises
    ------
    ValueError
        If neither a place nor attributes are given that show where it is used.
    """
    used = used_where or ((place,) if place is not None else ())
    if not used:
        raise ValueError("a convention by schema needs a place, or attributes that show its use")
    rule_id = f"{family}-SCHEMA-001"

    @cache
    def validator() -> Validator:
        return _validator(schema)

    def check(node: Node) -> Iterator[Fail]:
        attributes = node.attributes
        if place is None:
            yield from _violations(validator(), attributes, node.attribute_pointer)
        elif place in attributes:
            below = _below(node.attribute_pointer, place)
            yield from _violations(validator(), attributes[place], below)

    def uses(node: Node) -> bool:
        attributes = node.attributes
        return any(attribute in attributes for attribute in used)

    info = RuleInfo(
        id=rule_id,
        slug=f"{key}/schema",
        title=f"{name}: attributes fit the schema",
        family=family,
        source=Source(name, section),
        statement=f"Where {name} is used, the metadata MUST fit its JSON Schema.",
        level="MUST",
        severity="error",
        scope="node",
        cost="M",
        fix="none",
        status="working",
        reason="",
        yields_to=(),
        needs_listing=False,
        rationale="",
        bad_example="",
        good_example="",
        readers={},
        see_also=(),
    )
    function = RuleFunction((rule_id,), "node", (2, 3), ("attributes",), None, uses, check)
    return Convention(
        key=key,
        name=name,
        title=title,
        families=(family,),
        functions=(function,),
        infos=(info,),
        used_where=used,
        declared_how=declared_how,
    )


def _validator(schema: Path | Mapping[str, Any]) -> Validator:
    from jsonschema import validators
    from referencing import Registry

    given = json.loads(schema.read_text("utf-8")) if isinstance(schema, Path) else schema
    kind = validators.validator_for(given, default=validators.Draft202012Validator)
    kind.check_schema(given)
    # An empty registry: what the schema refers to elsewhere is an error, not a request.
    return kind(given, registry=Registry())


def _below(pointer: Callable[..., str], place: str) -> Callable[..., str]:
    return lambda *members: pointer(place, *members)


def _violations(validator: Validator, value: Any, pointer: Callable[..., str]) -> Iterator[Fail]:
    for number, error in enumerate(validator.iter_errors(value)):
        if number == MOST_VIOLATIONS:
            return
        message = in_words(error)
        if len(message) > MOST_CHARACTERS:
            message = f"{message[:MOST_CHARACTERS]}…"
        yield Fail(pointer(*error.absolute_path), message)
