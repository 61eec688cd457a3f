"""The slice that was asked to be read whole, in place of as much as the byte budget allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model import Array

_SLICE = ("window", "reduce", "against")
"""Of the choices of a picture those that say what is read, not how it is shown."""


class WholeSlice:
    """Remembers it, so that numbers, files and programs have what the screen shows."""

    def __init__(self) -> None:
        self._slice: object = None

    def show(
        self, array: Array, index: Mapping[str, int], choices: Mapping[str, Any], *, whole: bool
    ) -> None:
        """Take note of whether a slice is shown whole.

        Parameters
        ----------
        array : Array
            What is shown.
        index : mapping of str to int
            By dimension, where it is fixed.
        choices : mapping
            Arguments of `nz_explorer.plots.make`.
        whole : bool
            Whether all of it is read, however many bytes that takes.
        """
        if whole:
            self._slice = _key(array, index, choices)
        elif self.is_shown(array, index, choices):
            self._slice = None

    def is_shown(self, array: Array, index: Mapping[str, int], choices: Mapping[str, Any]) -> bool:
        """Return whether a slice is shown whole.

        Parameters
        ----------
        array, index, choices
            As for `show`.
        """
        return self._slice == _key(array, index, choices)


def _key(array: Array, index: Mapping[str, int], choices: Mapping[str, Any]) -> object:
    names = {array.dimension_label(axis) for axis in range(array.ndim or 0)}
    own = {name: at for name, at in index.items() if name in names}
    return array.path, own, [choices.get(name) or {} for name in _SLICE]
