"""What surrounds a picture: its title, the legend of cell states, and texts in its place."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.captions import slice_texts
from nz_explorer.plots.drawing.mask import ONLY_STORAGE
from nz_explorer.plots.drawing.parts import (
    SLICE_GAP,
    named,
    safe,
)
from nz_explorer.plots.drawing.view import PATTERNS, STATE_TITLES, View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.text.phrases import plural
from nz_explorer.text.source_code import line
from nz_explorer.values.masks.cell_states import (
    States,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch


MOST_CATEGORIES = 24
INK = "#1f5fa8"


def quantity(look: QuickLook, view: View) -> str:
    """Return the name of what a picture shows, with its units.

    Parameters
    ----------
    look
        The picture.
    view
        How it is to be drawn.
    """
    name = look.name or look.path.rsplit("/", 1)[-1] or look.path
    if look.part not in (None, "magnitude"):
        name = f"{look.part} of {name}"
    units = look.units
    if look.packing is not None:
        units = look.packing.units if view.decoded else "as stored"
    return named(name, units)


def with_left_out(look: QuickLook, view: View) -> str:
    """Return `quantity`, and how many values have no logarithm where one is drawn.

    Parameters
    ----------
    look
        The picture.
    view
        How it is to be drawn.
    """
    count = view.left_out(look)
    said = f"; no logarithm of {plural(count, 'value')} ≤ 0" if count else ""
    return f"{quantity(look, view)}{said}"


def present(states: States) -> list[int]:
    """Return the codes of the states, other than values, that occur: in the order of the legend."""
    counts = np.bincount(states.reshape(-1), minlength=ONLY_STORAGE + 1)
    return [code for code in PATTERNS if counts[code]]


def legend(axes: Axes, states: States, first: Sequence[Patch] = ()) -> None:
    """Explain the cell states of a picture, with their shares, below it.

    Parameters
    ----------
    axes
        Those of the picture.
    states
        uint8 cell states of its points.
    first
        What is explained before them, such as categories.
    """
    from matplotlib.patches import Patch

    counts = np.bincount(states.reshape(-1), minlength=ONLY_STORAGE + 1)
    patches: list[Patch] = list(first)
    for code in present(states):
        paper, ink, hatch = PATTERNS[code]
        share = 100 * counts[code] / states.size
        text = f"{STATE_TITLES[code]}  {'<0.1' if share < 0.1 else f'{share:.3g}'} %"
        patches.append(Patch(fc=paper, ec=ink, hatch=hatch, lw=0.5, label=text))
    if patches:
        axes.figure.legend(  # type: ignore[union-attr, unused-ignore]
            handles=patches, loc="outside lower left", ncols=4, fontsize="small", frameon=False
        )


def entitle(axes: Axes, look: QuickLook) -> None:
    """Write the path of the array and where it is sliced above a picture.

    Parameters
    ----------
    axes
        Those of the picture.
    look
        The picture.
    """
    aside, slices = (safe(SLICE_GAP.join(texts), 200) for texts in _places(look))
    if aside:  # above, where there is more room
        slices = f"{aside}\n{slices}"
    axes.set_title(safe(look.path), loc="left", fontsize="medium", fontweight="bold")
    if slices:
        axes.set_title(slices, loc="right", fontsize="medium")


def _places(look: QuickLook) -> tuple[list[str], list[str]]:
    """Return what belongs to a picture beside its slices, and these; what is subtracted is read after them."""
    minus = [text for text in look.aside if text.startswith("minus ")]
    return [text for text in look.aside if text not in minus], [*slice_texts(look.sliders), *minus]


def title_program(look: QuickLook) -> str:
    """Return the line that writes by pyplot what `entitle` writes.

    Parameters
    ----------
    look
        The picture.
    """
    aside, places = _places(look)
    slices = SLICE_GAP.join([*aside, *places])
    text = "\n".join([safe(look.path), *([safe(slices, 200)] if slices else [])])
    return line("plt.title({}, loc='left', fontsize='medium', wrap=True)", text)


def message_lines(text: str) -> list[str]:
    """Return a text in lines that a figure has room for."""
    return textwrap.wrap(text, 70)[:12]


def write(axes: Axes, lines: Sequence[str], *, size: int, family: str = "sans-serif") -> None:
    """Write what has no picture.

    Parameters
    ----------
    axes
        Nothing else is to be seen in them.
    lines
        Each no longer than a figure is wide.
    size
        Of the letters, in points.
    family
        Of the font.
    """
    axes.set_axis_off()
    axes.text(
        0.02,
        0.95,
        "\n".join(safe(line, 110) for line in lines),
        transform=axes.transAxes,
        va="top",
        fontsize=size,
        family=family,
        in_layout=False,  # it begins where the axes do, however long it is: to make them smaller does not help
    )
