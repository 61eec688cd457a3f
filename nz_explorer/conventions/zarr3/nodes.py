"""Z3: what Zarr v3.1 asks of the document of a node."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, configuration_of
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Node

V3 = (3,)
MISSING = object()


def shown(value: Any) -> str:
    """Return a value for a message on what was found instead."""
    return "nothing" if value is MISSING else json_text(value)


def may_be_ignored(value: Any) -> bool:
    """Whether a field says itself that readers which do not know it may pass over it.

    Parameters
    ----------
    value : object
        The field.
    """
    return isinstance(value, dict) and value.get("must_understand") is False


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether JSON spells an integer; true and false are integers only to Python."""
    return type(value) is int


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether JSON spells a number; true and false are numbers only to Python."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: Any) -> TypeGuard[int | float]:
    """Whether JSON spells a number that a float holds: it has integers of any size."""
    return is_number(value) and abs(value) <= sys.float_info.max


def numbers_of(given: Any) -> list[int | float] | None:
    """Return a list of numbers; None where it is anything else."""
    return given if isinstance(given, list) and all(map(is_number, given)) else None


_DIGITS = re.compile(r"[0-9]{1,18}")


def set_to(pointer: str, value: Any, safety: Any = "safe", note: str | None = None) -> FixMaker:
    """Return the fix that replaces one value.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the value.
    value : object
        What it becomes.
    safety : object, optional
        ``safe`` or ``suggest``.
    note : str, optional
        What a reader of the fix should know.
    """
    return lambda _node: Draft(safety, (replace(pointer, value),), note)


UNREAD = {
    "zarr-python": "raises ZeroDivisionError or ValueError, at the latest when it reads",
    "xarray": "raises ZeroDivisionError or ValueError, at the latest when it reads the array",
}


EMPTY = {
    "zarr-python": "does not see what is in the group",
    "xarray": "does not see what is in the group",
}
"""What becomes of a group of Zarr v2 that says it has another format."""

AS_FLOAT = in_versions("since 3.4", "raises ValueError")
"""What becomes of a node whose format is 2.0 or 3.0."""

VALUE_ERROR = {"zarr-python": "raises ValueError", "xarray": "cannot open the group"}
TYPE_ERROR = {"zarr-python": "raises TypeError", "xarray": "cannot open the group"}
REFUSED = {
    "zarr-python": "raises ValueError, such as MetadataValidationError",
    "xarray": "cannot open the group",
}


_LEFT_OUT = {
    "zarr-python": "leaves the array out with a warning",
    "xarray": "opens the group without the array",
}


def left_out(array: Array) -> dict[str, Any]:
    """Return what readers do with an array whose document lacks a member that they look up.

    Parameters
    ----------
    array : Array
        The array.
    """
    if array.is_root:
        return {"impact": "blocks", "readers": {"zarr-python": "raises KeyError"}}
    if array.hierarchy.zarr_format == 2:
        return {"readers": {}}  # they do not see it anyway, as TREE-005 says
    return {"impact": "values", "readers": _LEFT_OUT, "hidden_from": tuple(_LEFT_OUT)}


def wrong_format(node: Node, wanted: int) -> Iterator[Fail]:
    """Fail where a document says another format than that by whose name it is stored.

    Parameters
    ----------
    node : Node
        The node.
    wanted : int
        The format.
    """
    given = node.metadata.get("zarr_format", MISSING)
    if is_integer(given) and given == wanted:
        return
    pointer = node.pointer("zarr_format")
    message = f"zarr_format must be {wanted}, got {shown(given)}"
    if type(given) is float and given == wanted:
        yield Fail(pointer, message, impact="blocks", readers=AS_FLOAT, fix=set_to(pointer, wanted))
    elif given is not MISSING and (not is_integer(given) or given not in (2, 3)):
        # also where the rule asks for less
        fix = set_to(pointer, wanted) if given == str(wanted) else None
        yield Fail(pointer, message, impact="blocks", readers=REFUSED, fix=fix)
    elif wanted == 3 and given is MISSING and isinstance(node, Array):
        yield Fail(pointer, message, **left_out(node))
    elif not isinstance(node, Array):  # zarr-python does without it in zarr.json of a group
        unread = given is not MISSING
        yield Fail(
            pointer,
            message,
            impact="values" if unread else "convention",
            readers=EMPTY if unread else {},
        )
    else:
        yield Fail(pointer, message)


@rule("Z3-DOC-001", on="node", formats=V3)
def zarr_format(node: Node) -> Iterator[Fail]:
    """Require the member that identifies the specification of the document."""
    yield from wrong_format(node, 3)


def _no_root(bare: bool) -> dict[str, str]:
    """Return what readers do with a root that does not say what it is."""
    raised = "TypeError" if bare else "GroupNotFoundError"
    return dict.fromkeys(("zarr-python", "xarray"), f"raises {raised}")


@rule("Z3-DOC-002", on="node", formats=V3)
def node_type(node: Node) -> Iterator[Fail]:
    """Require the member that distinguishes arrays from groups."""
    given = node.metadata.get("node_type", MISSING)
    if given not in ("array", "group"):
        # zarr-python 3.1 looks for an array first, then for a group, and of the root asks no more than that.
        bare = given in (None, MISSING)
        opened = node.is_root and bare and "shape" not in node.metadata
        yield Fail(
            "/node_type",
            f'node_type must be "array" or "group", got {shown(given)}',
            impact="convention" if opened else None,
            readers={} if opened else _no_root(bare) if node.is_root else None,
            fix=lambda node: Draft(
                "suggest",
                (
                    {
                        "op": "add",
                        "path": "/node_type",
                        "value": "array" if "shape" in node.metadata else "group",
                    },
                ),
            ),
        )


_ATTRIBUTES_OF_ARRAY = {
    "zarr-python": "raises ValueError or TypeError (since 3.3)",
    "xarray": "raises TypeError, ValueError or IndexError, and cannot open the group",
}


@rule("Z3-DOC-006", on="node", formats=V3, provides="attributes")
def attributes_object(node: Node) -> Iterator[Fail]:
    """Require attributes that can be looked up by name."""
    given = node.metadata.get("attributes", {})
    if not isinstance(given, dict):
        # zarr-python before 3.3 does not look at those of an array; xarray does, where there is something in them
        is_array = isinstance(node, Array)
        read_as_none = given is None or (given in ([], "") and is_array)
        of_array = _ATTRIBUTES_OF_ARRAY if is_array else None
        yield Fail(
            "/attributes",
            f"attributes must be an object, got {json_type(given)}",
            readers={} if read_as_none else of_array,
            fix=set_to("/attributes", {}) if read_as_none else None,
        )


@rule("Z3-SHAPE-001", on="array", formats=V3, provides="shape")
def shape(array: Array) -> Iterator[Fail | Undecided]:
    """Require a list of non-negative lengths."""
    yield from missing(array, "shape")
    yield from wrong_lengths(array, "shape")


def missing(array: Array, member: str) -> Iterator[Undecided]:
    """Report as undecided what depends on an absent member.

    Parameters
    ----------
    array : Array
        The array.
    member : str
        Name of the member.
    """
    if member not in array.metadata:
        yield Undecided("dependency: Z3-DOC-003")


CRASHES = {"netCDF-C": "crashes the process (4.10)"}
NCZARR_ERROR = {"netCDF-C": "refuses the dataset: NCZarr error"}
"""What netCDF-C does with much of Zarr v2 that it cannot read."""
INTERNAL_ERROR = {"netCDF-C": "refuses the dataset: internal library error"}
"""What it does with null, a list or an object where a length should be."""
NO_ELEMENTS_OF_V2 = {
    "zarr-python": UNREAD["zarr-python"],
    "xarray": "cannot open the group",
    **NCZARR_ERROR,
}
"""What becomes of chunks of length 0 in Zarr v2."""


def refusal(array: Array, error: str, length: Any = 0) -> dict[str, str]:
    """Return what readers do with an array that zarr-python does not open.

    Parameters
    ----------
    array : Array
        The array.
    error : str
        What zarr-python raises.
    length
        The length in a list for which it does.
    """
    readers = {"zarr-python": f"raises {error}", "xarray": "cannot open the group"}
    if array.zarr_format == 3:
        return readers
    is_simple = isinstance(length, str | int | float)
    return {**readers, **(NCZARR_ERROR if is_simple else INTERNAL_ERROR)}


MOST_ELEMENTS = 2**63 - 1


def _is_of_one(array: Array, member: str) -> bool:
    """Whether the shape, or the chunks, and the names of an array are those of one dimension, as far as they can be told."""
    names = array.metadata.get("dimension_names") if array.zarr_format == 3 else None
    if isinstance(names, list) and len(names) != 1:
        return False
    if member == "chunks" and array.zarr_format == 3:
        given = configuration_of(array.metadata.get("chunk_grid")).get("chunk_shape")
    else:
        given = array.metadata.get(member)
    return not isinstance(given, list) or len(given) == 1


def wrong_lengths(array: Array, member: str) -> Iterator[Fail]:
    """Fail where a member is not a list of integers that are not negative.

    Parameters
    ----------
    array : Array
        The array.
    member : str
        Name of the member, such as ``shape``.
    """
    given = array.metadata.get(member, MISSING)
    if given is MISSING:
        return  # a missing member is another rule's finding
    pointer = array.pointer(member)
    message = f"{member} must be a list of non-negative integers, got {shown(given)}"
    if not isinstance(given, list):
        lone = is_integer(given) and given >= 0  # zarr-python takes it for a list of one
        alone = lone and _is_of_one(array, "chunks" if member == "shape" else "shape")
        yield Fail(
            pointer,
            message,
            readers=refusal(
                array, "ValueError" if isinstance(given, int) or given == {} else "TypeError"
            )
            if not alone
            else {}
            if array.zarr_format == 3
            else NCZARR_ERROR,
            fix=set_to(pointer, [given]) if alone else None,
        )
        return
    for axis, length in enumerate(given):
        if not is_integer(length) or length < 0:
            meant = whole_numbers(given)
            yield Fail(
                array.pointer(member, axis),
                message,
                readers={}
                if are_integers_or_booleans(given)
                else refusal(array, "ValueError" if is_integer(length) else "TypeError", length),
                fix=None if meant is None else set_to(pointer, meant),
            )
            return
        if length > MOST_ELEMENTS:
            yield Fail(
                array.pointer(member, axis),
                f"{member} has the length {length}, and readers count to 2^63 − 1 at most",
                severity="warning",
                readers={
                    "xarray": "raises OverflowError, and opens nothing of the group",
                    **({"netCDF-C": "cannot read its values"} if array.zarr_format == 2 else {}),
                },
            )
            return


def are_integers_or_booleans(given: Any) -> bool:
    """Whether a list holds what zarr-python takes for integers that are not negative: true and false are such in Python.

    Parameters
    ----------
    given : object
        A JSON value.
    """
    return isinstance(given, list) and all(isinstance(one, int) and one >= 0 for one in given)


def whole_numbers(given: Any) -> list[int] | None:
    """Return the integers that a list means which has some as ``4.0``, ``"4"`` or true; None where one is no length.

    Parameters
    ----------
    given : object
        A JSON value.
    """
    if not isinstance(given, list):
        return None
    texts = [
        str(int(n)) if isinstance(n, bool) or (type(n) is float and n.is_integer()) else str(n)
        for n in given
    ]
    return [int(text) for text in texts] if all(map(_DIGITS.fullmatch, texts)) else None


def empty_chunks(array: Array, given: list[int], pointer: str) -> Iterator[Fail]:
    """Fail where chunks have no element along a dimension.

    Parameters
    ----------
    array : Array
        The array.
    given : list of int
        Chunk length of each dimension.
    pointer : str
        RFC 6901 pointer to the list.
    """
    shape = array.stored_shape or ()
    for axis, length in enumerate(given):
        if length < 1:
            at = f"{pointer}/{axis}"
            empty = axis < len(shape) and shape[axis] == 0
            yield Fail(
                at,
                f"the chunk length along dimension {axis} is {length}; it must be at least 1",
                impact="blocks" if empty is (array.zarr_format == 2) else None,
                readers=_without_elements(array, length, empty=empty),
                fix=set_to(at, 1) if empty else None,
            )


def _without_elements(array: Array, length: int, *, empty: bool) -> dict[str, str] | None:
    """Return what readers do where chunks have no element; along a dimension without any, those of Zarr v3 do not mind."""
    if array.zarr_format == 3:
        return {} if empty else UNREAD
    if empty:
        return NCZARR_ERROR
    return NO_ELEMENTS_OF_V2 if length == 0 else None


def _has_names(array: Array) -> bool:
    return "dimension_names" in array.metadata


def _names_of_another_kind(array: Array, given: Any, rank: int | None) -> dict[str, str] | None:
    """Return what readers do with names that are no list: null is none at all, and a text its letters."""
    if given is None and rank == 0:
        return {}
    if given is None:
        return {"xarray": "raises KeyError, and cannot open the group"}
    if isinstance(given, str | dict):  # zarr-python makes a tuple of it: of letters, or of keys
        return {} if len(given) == rank else refusal(array, "ValueError")
    return refusal(array, "TypeError")


def _split_names(given: Any, rank: int | None) -> FixMaker | None:
    """Return the fix of names in one text, such as ``"time lat"``, or in an object."""
    if isinstance(given, dict):
        names = list(given.values())
    else:
        names = re.split(r"[\s,;]+", given.strip()) if isinstance(given, str) else []
    if len(names) != rank or not all(isinstance(name, str) and name for name in names):
        return None
    return set_to("/dimension_names", names, "suggest")


@rule("Z3-DIM-001", on="array", formats=V3, when=_has_names, provides="names")
def dimension_names(array: Array) -> Iterator[Fail]:
    """Require dimension_names to have a string or null for each dimension."""
    given = array.metadata["dimension_names"]
    rank = array.ndim
    if not isinstance(given, list):
        advice = (
            "write a list with one name per dimension"
            if rank is None
            else "write [], as a scalar has no dimensions"
            if rank == 0
            else f"write a list with one name per dimension (here {rank})"
        )
        yield Fail(
            "/dimension_names",
            f"dimension_names is {shown(given)}; {advice}",
            readers=_names_of_another_kind(array, given, rank),
            fix=_name_all if given is None else _split_names(given, rank),
        )
        return
    for axis, name in enumerate(given):
        if name is not None and not isinstance(name, str):
            yield Fail(
                f"/dimension_names/{axis}",
                f"dimension_names[{axis}] is {shown(name)}; a name is a string",
                readers=refusal(array, "TypeError"),
            )
            return
    if rank is not None and len(given) != rank:
        yield Fail(
            "/dimension_names",
            f"dimension_names has {plural(len(given), 'name')} for {plural(rank, 'dimension')}: {shown(given)}",
            readers=refusal(array, "ValueError"),
            fix=lambda _node: Draft(
                "suggest", note="name each dimension once, in the order of shape"
            ),
        )


def _name_all(node: Node) -> Draft | None:
    """Make the fix of null: without the member the array can be opened as well, but NZ-1.0 misses it then."""
    from nz_explorer.conventions.suggested_names import add_names
    from nz_explorer.model import Array

    if isinstance(node, Array) and node.ndim == 0:
        return Draft("safe", (replace("/dimension_names", []),))
    draft = add_names(node)
    if draft is None or draft.safety == "safe":
        return draft
    other = "without the member the array can be opened, too, and its dimensions have no names"
    return Draft(draft.safety, draft.operations, f"{draft.note}; {other}")
