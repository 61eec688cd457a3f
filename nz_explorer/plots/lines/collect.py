"""The one-dimensional arrays of a group that run along the same dimension, to be drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text
from nz_explorer.plots.line import LINE
from nz_explorer.plots.picture import Axis, QuickLook

MOST_LINES = 24


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Arrays along one dimension.

    Parameters
    ----------
    dimension
        Its name; empty where there is none.
    dimensions
        Those that can be chosen, the one that most arrays run along first.
    x
        What stands along it.
    looks
        A picture of each array, at the same points.
    message
        What was left out, in a sentence.
    pins
        Which of the pins each picture is at, counted from 0; empty where there are none.
    """

    dimension: str
    dimensions: tuple[str, ...]
    x: Axis
    looks: tuple[QuickLook, ...]
    message: str | None = None
    pins: tuple[int, ...] = ()


def lines(
    arrays: Sequence[Array], look: Callable[[Array], QuickLook], dimension: str | None = None
) -> Lines:
    """Look at the arrays of a group that run along a dimension.

    Parameters
    ----------
    arrays
        The arrays of the group.
    look
        Makes the picture of one array.
    dimension
        The dimension; by default the one that most arrays run along.

    Returns
    -------
    Lines
    """
    drawable: list[tuple[str, Array]] = []
    for array in arrays:
        name = array.dimension_label(0) if array.ndim == 1 else ""
        # its own coordinate would be a diagonal
        if name and name != array.name and (array.shape or (0,))[0] > 1 and not is_text(array):
            drawable.append((name, array))
    counts = Counter(name for name, _ in drawable)
    names = tuple(name for name, _ in counts.most_common())
    chosen = names[0] if names else ""
    if dimension is not None and dimension in counts:
        chosen = dimension
    wanted = [array for name, array in drawable if name == chosen]
    looks: list[QuickLook] = []
    left_out: list[str] = []
    for array in wanted[:MOST_LINES]:
        found = look(array)
        first = looks[0].x if looks else found.x
        if found.kind == LINE.name and found.x is not None and _same(found.x, first):
            looks.append(found)
        else:
            left_out.append(array.name)
    left_out += [array.name for array in wanted[MOST_LINES:]]
    message = f"not drawn: {', '.join(left_out[:10])}" if left_out else None
    if not looks:
        message = message or "no one-dimensional arrays of numbers that share a dimension"
    x = looks[0].x if looks else None
    return Lines(chosen, names, x or Axis(chosen, "index", 0, 1, 0, 0), tuple(looks), message)


def _same(one: Axis, other: Axis | None) -> bool:
    return other is not None and (one.start, one.step, one.size, one.length) == (
        other.start,
        other.step,
        other.size,
        other.length,
    )
