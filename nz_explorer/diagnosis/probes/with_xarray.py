"""xarray: opens each group, which opens all of its arrays or none, and decodes the first and the last chunk of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Step, Unseen, corners, text_of
from nz_explorer.diagnosis.probes.with_zarr import opened, store_of


def run(asked: Asked, answers: Answers) -> None:
    """Open each group, and decode the first and the last chunk of each variable in it.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    import xarray as xr

    def open_group(group: str, **options: Any) -> Any:
        return xr.open_zarr(store_of(asked), chunks=None, group=group.strip("/") or None, **options)

    # the consolidated metadata, where those keep it from opening the root
    without: dict[str, Any] = {}

    def open_root(**options: Any) -> Any:
        without.update(options)
        return open_group("/", **options)

    root = opened(answers, open_root, "consolidated")
    read_variables(root, "/", asked, answers, lambda: open_group("/", decode_cf=False))
    for group in asked.groups:
        if group == "/":
            continue
        dataset = None
        with answers.step(group):
            dataset = open_group(group, **without)
        if dataset is not None:
            raw = partial(open_group, group, decode_cf=False, **without)
            read_variables(dataset, group, asked, answers, raw)


def read_variables(
    dataset: Any, group: str, asked: Asked, answers: Answers, undecoded: Callable[[], Any]
) -> None:
    """Decode the first and the last chunk of each array in a group.

    Parameters
    ----------
    dataset : Dataset
        The group, opened.
    group : str
        Its path.
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    undecoded : callable
        Opens the same without decoding what CF says.

    Raises
    ------
    Unseen
        If an array is not in the group; it is reported for that array.
    """
    plain = None
    # what it shows undecoded is beside the point where it does not open so
    with suppress(Exception):
        plain = undecoded()
    for path, name in arrays_in(asked.arrays, group):
        with answers.step(path) as step:
            if name not in dataset.variables:
                raise Unseen(f"xarray does not show {name!r} in {group}")
            _read(dataset.variables[name], step, decoded=True)
            if plain is not None and name in plain.variables:
                _read(plain.variables[name], step, decoded=False)
    dataset.close()


def arrays_in(arrays: Sequence[str], group: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of the arrays directly in a group.

    Parameters
    ----------
    arrays : sequence of str
        Paths of arrays.
    group : str
        Path of the group.
    """
    for path in arrays:
        above, _, name = path.rpartition("/")
        if (above or "/") == group and name:
            yield path, name


def _read(variable: Any, step: Step, *, decoded: bool) -> None:
    for number, corner in enumerate(corners(variable.shape)):
        step.during = "reading the last chunk" if number else "reading the first chunk"
        value = text_of(variable[corner].values)
        if number == 0 and decoded:
            step.shown = value
        elif number == 0:
            step.raw = value
