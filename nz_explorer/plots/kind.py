"""What a kind of picture of an array is: its folder defines one, and `nz_explorer.plots.registry` lists it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from nz_explorer.model import Array
from nz_explorer.plots.captions import value_span
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.drawing.pixels import Image
    from nz_explorer.plots.drawing.view import View
    from nz_explorer.plots.picture import Axis, QuickLook
    from nz_explorer.plots.source import PictureSource
    from nz_explorer.values.coordinates.curvilinear import Curvilinear

    Places = Callable[[Axis | Curvilinear, str], list[str]]


class PictureKind(ABC):
    """A kind of picture of an array: which arrays it suits, how it is read and drawn, and its words.

    Attributes
    ----------
    name
        As in the protocol, in ``Explorer.view`` and in `QuickLook.kind`.
    noun
        What a picture is called in a sentence; `name` where it is empty.
    controls
        Options of `figure` that change how it is drawn; others have no effect. Those that are no
        field of `View` are in ``view.options``.
    numeric
        Whether values must be numbers.
    drawn
        Whether it is a picture; False for what is written as text.
    every_element
        Whether all elements of a single axis are read where the byte budget allows, so that no
        extreme value is lost.
    overviews
        Whether a smaller copy of the array may be read in its place.
    any_axes
        Whether other dimensions than the usual ones may be shown along x and y.
    reduces
        Whether dimensions may be reduced to a number before it is drawn.
    """

    name: ClassVar[str]
    noun: ClassVar[str] = ""
    controls: ClassVar[tuple[str, ...]] = ()
    numeric: ClassVar[bool] = True
    drawn: ClassVar[bool] = True
    every_element: ClassVar[bool] = False
    overviews: ClassVar[bool] = True
    any_axes: ClassVar[bool] = True
    reduces: ClassVar[bool] = True

    @abstractmethod
    def suits(self, array: Array) -> bool:
        """Return whether an array can be shown so, from its metadata alone."""

    def is_usual(self, array: Array) -> bool:
        """Return whether an array that can be shown so usually is; else other kinds come first."""
        return True

    def is_told_by_values(self, array: Array) -> bool:
        """Return whether it takes some values to tell that an array is usually shown so; see `suits_values`."""
        return False

    def suits_values(self, window: Window) -> bool:
        """Return whether an array is usually shown so, from some of its values.

        Parameters
        ----------
        window
            A few values along `axes`.
        """
        return False

    @abstractmethod
    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of an array that are shown, in the order of the points that are read."""

    def most_points(
        self, axes: Sequence[int], width: int, height: int, *, bounded: bool
    ) -> tuple[int, ...]:
        """Return the most points along each axis shown.

        Parameters
        ----------
        axes
            As `axes` returns them.
        width, height
            Pixels that there is room for.
        bounded
            Whether a byte budget applies; False where the whole slice was asked for.
        """
        return (height, width, 4)[: len(axes)] if len(axes) > 1 else (2 * width,)

    @abstractmethod
    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the picture of what was read.

        Parameters
        ----------
        source
            The array, and what can be read beside its values: coordinates, labels.
        window
            Values of shape (y, x), (x,), () or (y, x, colours), as `axes` says, and their cell states.
        shared
            Fields of `QuickLook` that all kinds have: path, units, sliders, cost and so on.
        most
            The most points along the first axis.
        """

    def values_text(self, look: QuickLook) -> list[str]:
        """Return the description of the values in the label of a picture, for assistive technology."""
        return [value_span(look)]

    def can_draw(self, look: QuickLook) -> bool:
        """Return whether a picture has what `draw` needs; else its text or message is written."""
        return look.values is not None

    @abstractmethod
    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw a picture by matplotlib.

        Parameters
        ----------
        drawn
            The figure, for what is drawn beside the axes.
        axes
            Where to draw.
        look
            What `build` returned.
        view
            How it is to be drawn.

        Raises
        ------
        ValueError
            If the view asks for what matplotlib does not have, such as a colormap.
        """

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return lines of Python that draw a picture by ``plt``, pyplot; what is no picture is printed.

        Parameters
        ----------
        look
            What `build` returned.
        view
            How it is drawn.
        values
            An expression for the masked array that is drawn; ``np`` is numpy.
        places
            Returns the lines that bind a name, ``x`` or ``y``, to where the points of an axis lie, or of
            two-dimensional coordinates; none where these cannot be read.
        """
        return [f"print({values})"]

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Image | None:
        """Return a picture as a small image, None where this kind has none; see `thumbnail`.

        Parameters
        ----------
        look
            What `build` returned, with an axis `x`.
        width, height
            The most pixels.
        """
        return None
