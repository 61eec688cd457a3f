"""Z2: the lengths of chunks, and what readers make of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import (
    MISSING,
    NCZARR_ERROR,
    NO_ELEMENTS_OF_V2,
    empty_chunks,
    is_integer,
    refusal,
    set_to,
    shown,
    whole_numbers,
)
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array


@rule("Z2-ARR-006", on="array", formats=(2,), needs=("shape",), provides="chunk shape")
def chunks(array: Array) -> Iterator[Fail]:
    """Require one chunk length per dimension, each of at least one element."""
    given = array.metadata.get("chunks", MISSING)
    if given is MISSING:
        return  # Z2-ARR-002
    stored = array.stored_shape
    lengths = list(stored or ())
    what = (
        f"chunks must be a list of {plural(len(lengths), 'positive integer')} for shape {lengths}"
    )
    if (
        stored
        and isinstance(given, list)
        and len(given) == len(stored)
        and True in _booleans(given)
    ):
        yield from _true_for_one(given, stored, what)
    elif not isinstance(given, list) or not all(map(is_integer, given)):
        lone = is_integer(given) and given > 0 and len(lengths) == 1  # a list of one to zarr-python
        meant = [given] if lone else whole_numbers(given)
        fits = meant and len(meant) == len(lengths) and min(meant) > 0
        wrong = (
            [length for length in given if not is_integer(length)]
            if isinstance(given, list)
            else []
        )
        yield Fail(
            _first(given, is_integer),
            f"{what}, got {shown(given)}",
            readers=NCZARR_ERROR
            if lone
            else NO_ELEMENTS_OF_V2
            if _is_false(given)
            else refusal(array, "TypeError", wrong[0])
            if wrong
            else None,
            fix=set_to("/.zarray/chunks", meant) if fits else None,
        )
    elif stored is not None and len(given) != len(lengths):
        yield _of_another_rank(given, stored, f"{what}, got {len(given)}: {shown(given)}")
    else:
        yield from empty_chunks(array, given, "/.zarray/chunks")


def _is_false(given: Any) -> bool:
    """Whether chunks are a list of lengths of which some are false, which is 0 to Python."""
    return isinstance(given, list) and all(
        length is False or is_integer(length) for length in given
    )


def _first(given: Any, is_right: Callable[[Any], bool]) -> str:
    """Return the pointer to the first length that is not right; to all of them where they are no list."""
    for axis, length in enumerate(given if isinstance(given, list) else ()):
        if not is_right(length):
            return f"/.zarray/chunks/{axis}"
    return "/.zarray/chunks"


_REFUSED_RANK = {
    "zarr-python": "raises ValueError: the shape and chunks attributes must have the same length",
    "xarray": "cannot open the group",
}


def _of_another_rank(given: list[int], shape: tuple[int, ...], said: str) -> Fail:
    """Return that chunks has more lengths than shape, of which netCDF-C takes the first, or fewer."""
    first, rest = given[: len(shape)], given[len(shape) :]
    likely = all(length == 1 for length in rest) or first == list(shape)
    if not shape:  # netCDF-C does not show it: Z2-OGC-010
        fix = set_to("/.zarray/chunks", [], "suggest")
        return Fail("/.zarray/chunks", said, readers=_REFUSED_RANK, fix=fix)
    if rest and likely and min(first) > 0:
        return Fail(
            "/.zarray/chunks",
            f"{said}; netCDF-C takes the first {'one' if len(first) == 1 else len(first)}",
            readers=_REFUSED_RANK,
            fix=set_to("/.zarray/chunks", first, "suggest"),
        )
    if not given and len(shape) == 1:
        does = "takes the length from memory that nobody has set, and shows wrong values, or fails when it reads them"
        return Fail(
            "/.zarray/chunks",
            said,
            impact="values",
            readers=_REFUSED_RANK | {"netCDF-C": does},
            stops=tuple(_REFUSED_RANK),
        )
    does = (
        "takes the first lengths, and shows wrong values where these are not those of the stored chunks"
        if rest
        else "crashes, refuses the dataset, fails when it reads the values, or shows wrong ones: it takes the other lengths from memory that nobody has set"
    )
    return Fail("/.zarray/chunks", said, readers=_REFUSED_RANK | {"netCDF-C": does})


def _booleans(given: list[Any]) -> list[Any]:
    return [length for length in given if isinstance(length, bool)]


def _true_for_one(given: list[Any], shape: tuple[int, ...], what: str) -> Iterator[Fail]:
    """Yield that true stands for a length of 1, as which readers take it."""
    meant = [1 if length is True else length for length in given]
    if not all(is_integer(length) and length > 0 for length in meant):
        at = _first(meant, lambda length: is_integer(length) and length > 0)
        yield Fail(at, f"{what}, got {shown(given)}")
        return
    right = all(length is not True or long == 1 for length, long in zip(given, shape, strict=True))
    does = "takes true for 1, and raises ValueError when it reads chunks that are longer"
    yield Fail(
        _first(given, is_integer),
        f"{what}, got {shown(given)}",
        impact=None if right else "values",
        readers={}
        if right
        else {
            "zarr-python": does,
            "xarray": does,
            "netCDF-C": "takes true for 1, and shows wrong values where chunks are longer",
        },
        stops=() if right else ("zarr-python", "xarray"),
        fix=set_to("/.zarray/chunks", meant, "safe" if right else "suggest"),
    )
