"""NZ: how a dataset declares the convention (NZ-1.0, Convention Declaration)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.identifier import declares_nz, tokens
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, Operation, add, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.text.identifiers import (
    CF_TOKEN,
    IDENTIFIER,
    KEYS,
    fold,
    separated,
    separators,
    with_nz,
)
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node


def _is_group(node: Node) -> bool:
    return isinstance(node, Group)


@rule("NZ-DECL-002", on="root", needs=("attributes",), when=_is_group, provides="conventions")
def conventions_type(node: Node) -> Iterator[Fail]:
    """Require the declaration to be a string."""
    for key in KEYS:
        value = node.attributes.get(key, "")
        if not isinstance(value, str):
            yield Fail(
                node.attribute_pointer(key),
                f'"{key}" must be a string of space-separated identifiers, got {json_type(value)}'
                + ("" if value is None else f" {json_text(value)}"),
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
        "add any other conventions that the data follow",
    )


@rule("NZ-DECL-001", on="root", needs=("attributes", "conventions"), when=_is_group)
def declared(node: Node) -> Iterator[Fail]:
    """Require the root group to name NZ-1.0."""
    if declares_nz(node.attributes):
        return
    message = f'the root group does not declare {IDENTIFIER} in "conventions"'
    key = next((key for key in KEYS if key in node.attributes), None)
    covers: tuple[str, ...] = ()
    if key is not None:
        given = node.attributes[key]
        message += f"; {'it' if key == KEYS[0] else json_text(key)} is {json_text(given)}"
        if fold(IDENTIFIER) in map(fold, separated(given)):
            odd = _odd_separators(given)
            around = [mark for mark in odd if mark in _AROUND]
            between = [mark for mark in odd if mark != _STOP]
            how = "stand in" if around else "are separated by" if between else "end with"
            message += f", where identifiers {how} {' and '.join(around or between or odd)}"
            others = (value for other, value in _given(node) if other != key)
            covers = () if any(map(_odd_separators, others)) else ("NZ-DECL-003",)
    yield Fail(node.attribute_pointer("conventions"), message, fix=declare_nz, covers=covers)


def declare_nz(node: Node) -> Draft:
    """Make the fix that names NZ before whatever is named already, in the attribute or its old spelling."""
    for key, value in _given(node):
        for found in _NZ_APART.finditer(value):
            if found[1]:  # NZ-DECL-008: what is left of "NZ 1.0" would be an identifier
                return _joined(key, _without_blank(value, found), node)
    for key, token, version in _nearly_nz(node):
        if version not in _RIGHT_VERSIONS:
            value = with_nz({KEYS[0]: _with_identifier(node.attributes[key], token)})
            note = f"if {token} was meant to be {IDENTIFIER}"
            places = dict.fromkeys((KEYS[0], key))
            named = [one for place in places for one in set_attribute(node, place, value)]
            return Draft("suggest", tuple(named), note)
    operations = _renamed(node) or (
        *set_attribute(node, "conventions", with_nz(node.attributes)),
        *older_with_nz(node),
    )
    other = [token for _, token in _all_tokens(node) if _is_other_version(token)]
    if not other:
        return Draft("safe", operations)
    note = f"if the data keep the rules of {IDENTIFIER}, too; leave out {other[0]} if {IDENTIFIER} was meant"
    return Draft("suggest", operations, note)


def older_with_nz(node: Node) -> tuple[Operation, ...]:
    """Name NZ in the older attribute as well, where that names other conventions: else the two would disagree.

    Parameters
    ----------
    node : Node
        The root group.
    """
    older = node.attributes.get(KEYS[1])
    if not isinstance(older, str) or declares_nz({KEYS[1]: older}):
        return ()
    return set_attribute(node, KEYS[1], with_nz({KEYS[0]: older}))


def _renamed(node: Node) -> tuple[Operation, ...]:
    """Take over what stands in an attribute whose name was meant to be this one: beside it, it would differ only by case."""
    almost = next((key for key in _ALMOST_KEYS if _names_nz(node.attributes.get(key))), None)
    if almost is None or any(key in node.attributes for key in KEYS):
        return ()
    value = with_nz({KEYS[0]: node.attributes[almost]})
    return (remove(node.attribute_pointer(almost)), add(node.attribute_pointer(KEYS[0]), value))


def _names_nz(value: Any) -> bool:
    return isinstance(value, str) and fold(IDENTIFIER) in map(fold, separated(value))


_DOMAIN = re.compile(r"(cf|acdd|ugrid|geozarr|coards|cs|ioos|sgrid|radar|cfradial)([-/]?v?\d.*)?")
_NEARLY_NZ = re.compile(r"nz[-_]?(?:ug|arr)?[-_:/]?v?(\d[^\s,;|/&+]*(?<!\.))")
_NZ_APART = re.compile(
    r"(?<![^\s,;|])nz(?:[\s\u2010-\u2015\u2212]+v?(1(?:\.0)?))?(?![^\s,;|])", re.IGNORECASE
)
"""NZ without its version, or with a blank or a printer's hyphen before it."""
_RIGHT_VERSIONS = ("1", "1.0")
_VERSIONED = re.compile(r"[A-Za-z][\w./]*[-_]v?\d")
_OTHER_VERSION = re.compile(r"nz-(\d+)\.(\d+)")


def _is_other_version(token: str) -> bool:
    return fold(token) != fold(IDENTIFIER) and _OTHER_VERSION.fullmatch(fold(token)) is not None


_ALMOST_KEYS = ("convention", "Convention", "CONVENTIONS")


def _given(node: Node) -> Iterator[tuple[str, str]]:
    """Yield each declaration that is a string, with its name."""
    for key in KEYS:
        value = node.attributes.get(key)
        if isinstance(value, str):
            yield key, value


def _all_tokens(node: Node) -> Iterator[tuple[str, str]]:
    for key, value in _given(node):
        for token in tokens(value, key):
            yield key, token


def _nearly_nz(node: Node) -> Iterator[tuple[str, str, str]]:
    """Yield each token that is nearly an identifier of NZ, with the name of its attribute and the version in it."""
    for key, token in _all_tokens(node):
        folded = fold(token)
        nearly = _NEARLY_NZ.fullmatch(folded)
        if nearly is not None and _OTHER_VERSION.fullmatch(folded) is None:
            yield key, token, nearly[1]


@rule("NZ-DECL-003", on="root", needs=("attributes", "conventions"), when=_is_group)
def separator(node: Node) -> Iterator[Fail]:
    """Require spaces between identifiers, however many."""
    for key, value in _given(node):
        parts = separated(value)
        odd = _odd_separators(value)
        if not odd or not parts:
            continue
        yield Fail(
            node.attribute_pointer(key),
            f'identifiers in "{key}" must be separated by spaces, found {", ".join(odd)}',
            severity="info" if key == KEYS[1] and set(odd) == {"a comma"} else None,
            fix=partial(_joined, key, " ".join(parts)),
        )


_STOP = "a full stop"
_AROUND = ("brackets", "quotation marks")
"""What is around identifiers in a list that was written as text."""


def _odd_separators(value: str) -> list[str]:
    """Name the separators that are not spaces."""
    found = separators(value)
    return list(dict.fromkeys(mark for separator in found for mark in _name_separator(separator)))


def _name_separator(found: str) -> list[str]:
    names = {
        ",": "a comma",
        ";": "a semicolon",
        "/": "a slash",
        "|": "a vertical bar",
        "&": "an ampersand",
        "+": "a plus sign",
        "and": 'the word "and"',
        ".": _STOP,
        "\n": "a line break",
        "\t": "a tab",
        "[": _AROUND[0],
        "]": _AROUND[0],
        "'": _AROUND[1],
        '"': _AROUND[1],
    }
    marks = [name for mark, name in names.items() if mark in found.lower()]
    return marks or ([] if not found.strip(" ") else ["another blank"])


def _joined(key: str, value: str, node: Node) -> Draft:
    return Draft("safe", set_attribute(node, key, value))


@rule("NZ-DECL-004", on="root", needs=("attributes", "conventions"), when=_is_group)
def order(node: Node) -> Iterator[Fail]:
    """Require NZ, on which domain conventions build, before them."""
    for key, value in _given(node):
        listed = tokens(value, key)
        folded = [fold(token) for token in listed]
        if fold(IDENTIFIER) not in folded:
            continue
        before = [t for t in listed[: folded.index(fold(IDENTIFIER))] if _DOMAIN.fullmatch(fold(t))]
        if not before:
            continue
        own = listed[folded.index(fold(IDENTIFIER))]
        rest = [token for token in listed if token is not own]
        yield Fail(
            node.attribute_pointer(key),
            f"list {own} before {before[0].rstrip(',;')}: identifiers go from most general to most specific",
            severity="info" if key == KEYS[1] else None,
            fix=partial(_joined, key, " ".join([own, *rest])),
        )


@rule("NZ-DECL-005", on="root", needs=("attributes", "conventions"), when=_is_group)
def canonical_case(node: Node) -> Iterator[Fail]:
    """Note another case than that of the convention's own text."""
    for key, token in _all_tokens(node):
        if fold(token) == fold(IDENTIFIER) and token != IDENTIFIER:
            yield Fail(
                node.attribute_pointer(key),
                f"{IDENTIFIER} is written {json_text(token)}; readers must accept that",
                fix=partial(_respelled, key, token),
            )


def _respelled(key: str, token: str, node: Node) -> Draft:
    """Make the fix that writes NZ-1.0 in place of a token."""
    return _joined(key, _with_identifier(node.attributes[key], token), node)


def _with_identifier(value: Any, token: str) -> str:
    return re.sub(rf"(?<![^\s,]){re.escape(token)}(?![^\s,])", IDENTIFIER, str(value))


@rule("NZ-DECL-006", on="root", needs=("attributes", "conventions"), when=_is_group)
def legacy_key(node: Node) -> Iterator[Fail]:
    """Note a declaration that is only in the older attribute."""
    if "conventions" in node.attributes or not declares_nz(node.attributes):
        return
    yield Fail(
        node.attribute_pointer(KEYS[1]),
        f'{IDENTIFIER} is declared only in the older attribute "Conventions"; new data should use "conventions"',
        fix=declare_nz,
    )


@rule("NZ-DECL-007", on="root", needs=("attributes", "conventions"), when=_is_group)
def keys_agree(node: Node) -> Iterator[Fail]:
    """Require both spellings of the attribute to name the same conventions."""
    given = dict(_given(node))
    if len(given) < 2:
        return
    sets = [{fold(token): token for token in separated(given[key])} for key in KEYS]
    differing = [token for a, b in (sets, sets[::-1]) for name, token in a.items() if name not in b]
    # CF that only the older one names is NZ-DOM-001, and with it that one need not name NZ, too
    told = next(
        (token for n, token in sets[1].items() if n not in sets[0] and CF_TOKEN.fullmatch(n)), None
    )
    has_cf = any(map(CF_TOKEN.fullmatch, sets[0]))
    if told is not None and not has_cf and declares_nz(node.attributes):
        differing = [
            token for token in differing if token not in (told, sets[0].get(fold(IDENTIFIER)))
        ]
    if not differing:
        return
    versions = [{n for n in names if _OTHER_VERSION.fullmatch(n)} for names in sets]
    yield Fail(
        node.attribute_pointer("conventions"),
        f'"conventions" ({json_text(given[KEYS[0]])}) and "Conventions" ({json_text(given[KEYS[1]])}) disagree:'
        f" only one of them names {listed(map(json_text, differing))}",
        severity="error" if all(versions) and versions[0] != versions[1] else None,
        fix=lambda _node: Draft("suggest", note="name the same conventions in both"),
    )


@rule("NZ-DECL-008", on="root", needs=("attributes", "conventions"), when=_is_group)
def near_miss(node: Node) -> Iterator[Fail]:
    """Note identifiers and attributes that are nearly the right ones."""
    for key, token, version in _nearly_nz(node):
        yield Fail(
            node.attribute_pointer(key),
            f"{json_text(token)} is not an NZ identifier; did you mean {IDENTIFIER}?",
            fix=partial(_respelled, key, token) if version in _RIGHT_VERSIONS else None,
        )
    for key, value in _given(node):
        for found in _NZ_APART.finditer(value):
            right = _without_blank(value, found)
            yield Fail(
                node.attribute_pointer(key),
                f"{json_text(found[0])} is not an NZ identifier; did you mean {IDENTIFIER}?",
                fix=partial(_joined, key, right) if found[1] else None,
            )
    for key in _ALMOST_KEYS:
        if _names_nz(node.attributes.get(key)):
            yield Fail(
                node.attribute_pointer(key),
                f'the attribute {json_text(key)} declares nothing; did you mean "conventions"?',
            )


def _without_blank(value: str, found: re.Match[str]) -> str:
    return value[: found.start()] + IDENTIFIER + value[found.end() :]


@rule("NZ-DECL-009", on="root", needs=("attributes", "conventions"), when=_is_group)
def other_version(node: Node) -> Iterator[Fail]:
    """Note a version that these rules do not cover."""
    for key, token in _all_tokens(node):
        if _is_other_version(token):
            yield Fail(
                node.attribute_pointer(key),
                f"the root group declares {token}; the rules here are those of {IDENTIFIER}",
            )


@rule("NZ-DECL-010", on="node", needs=("attributes",))
def not_on_root(node: Node) -> Iterator[Fail]:
    """Note a declaration where it declares nothing."""
    if node.is_root:
        return
    for key in KEYS:
        if key not in node.attributes:
            continue
        if _is_prose(value := node.attributes[key]):
            yield Fail(
                node.attribute_pointer(key),
                f'"{key}" is {json_text(value)} here; {IDENTIFIER} has it on the root group alone, to declare conventions',
                fix=_keep,
            )
        else:
            yield Fail(
                node.attribute_pointer(key),
                f'"{key}" has no effect here: conventions are declared on the root group',
                fix=partial(_drop, key),
            )


def _is_prose(value: Any) -> bool:
    """Whether a text is no list of conventions, such as ``Argo reference table 2``, which tells what flags of Argo mean.

    One that names a convention in passing, such as ``see CF-1.8, chapter 3``, has words of a sentence beside it.
    """
    words = [word.strip(",;:.") for word in value.split()] if isinstance(value, str) else []
    named = [word for word in words if _VERSIONED.match(word) or _DOMAIN.fullmatch(word.lower())]
    spoken = any(word.isalpha() and word.islower() and word not in named for word in words)
    return len(words) > 1 and (spoken or not named)


def _keep(_node: Node) -> Draft:
    return Draft(
        "suggest", note="rename it, unless programs look for it: it tells what values mean"
    )


def _drop(key: str, node: Node) -> Draft:
    operations: tuple[Operation, ...] = (remove(node.attribute_pointer(key)),)
    return Draft("suggest", operations, "move the declaration to the root group")
