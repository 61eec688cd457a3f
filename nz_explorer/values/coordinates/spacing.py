"""How far the values of a coordinate are from each other, watched as they are read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nz_explorer.model.fill_values import value_text


class Jump(NamedTuple):
    """The widest step between two neighbours: where the second is, and what both are."""

    at: int
    before: Any
    after: Any


class Spacing:
    """Watches whether values are evenly spaced, to the precision of their type."""

    def __init__(self) -> None:
        self._step: Any = None
        self._regular = True
        self._steps: list[float] = []
        self._widest = 0.0
        self.jump: Jump | None = None

    def add(self, values: np.ndarray[Any, Any], start: int) -> None:
        """Look at more values, of which the first may be the last of those before.

        Parameters
        ----------
        values
            The values.
        start
            The index of the first of them.
        """
        kind = values.dtype.kind
        if kind in "iuf" and len(values) > 1:
            steps: np.ndarray[Any, Any] = np.diff(values.astype(np.float64))
            self._steps += [float(steps.min()), float(steps.max())]
            place = int(np.abs(steps).argmax())
            if abs(steps[place]) > self._widest:
                self._widest = float(abs(steps[place]))
                before, after = (python_value(values[i : i + 1]) for i in (place, place + 1))
                self.jump = Jump(start + place + 1, before, after)
        if not self._regular or len(values) < 2:
            return
        if kind not in "iufmM":
            self._regular = False
            return
        if kind == "f" and not np.isfinite(values).all():
            self._regular = False
            return
        if kind == "f":
            error = 4 * float(np.finfo(values.dtype).eps) * float(np.abs(values).max())
        else:
            whole = values if kind in "mM" else values.astype("i8")
            steps = whole[1:] - whole[:-1]
            error = 0.0
        if self._step is None:
            self._step = steps[0]
        if kind == "f":
            self._regular = bool(
                np.all(np.abs(steps - self._step) <= error + 1e-6 * abs(self._step))
            )
        else:
            self._regular = bool(np.all(steps == self._step))

    def spread(self, length: int) -> float | None:
        """Return how much spacings differ, as a part of their mean; None where there are too few.

        Parameters
        ----------
        length
            How many values there are.
        """
        if not self._steps or length < 3:
            return None
        mean = abs(min(self._steps) + max(self._steps)) / 2
        return (max(self._steps) - min(self._steps)) / mean if mean else None

    def step(self, first: Any, last: Any, length: int) -> Any:
        """Return the spacing as a Python value, None where it is not regular.

        Parameters
        ----------
        first, last
            The ends.
        length
            How many values there are.
        """
        if not self._regular or self._step is None:
            return None
        if isinstance(first, float):  # the ends are exact, single differences are not
            return float(f"{(last - first) / (length - 1):.12g}")
        return python_value(np.asarray(self._step))


def python_value(value: np.ndarray[Any, Any]) -> Any:
    """Return the one value of an array as Python has it; times as text.

    Parameters
    ----------
    value
        An array of one element, or of no dimensions.
    """
    scalar = value.reshape(-1)[0]
    if isinstance(scalar, np.datetime64 | np.timedelta64):
        return value_text(scalar)
    if isinstance(scalar, np.float32 | np.float16):
        return float(str(scalar))  # the digits that people wrote, not those of the wider type
    return scalar.item() if isinstance(scalar, np.generic) else scalar
