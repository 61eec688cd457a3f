"""Python that reproduces the table, or the scatter, of a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from nz_explorer.model import Array, Group, Hierarchy
from nz_explorer.plots.colours.categories import category_hex
from nz_explorer.plots.colours.ranges import threshold
from nz_explorer.plots.columns.along import LONGEST_WORD, Along
from nz_explorer.plots.columns.collect import Cells
from nz_explorer.plots.columns.scatter import MOST_NAMED, Scatter
from nz_explorer.plots.drawing.parts import safe
from nz_explorer.plots.map.program import colour_arguments
from nz_explorer.text.source_code import arguments, comment, line, literal, noted, program
from nz_explorer.values.window import DEFAULT_BUDGET
from nz_explorer.widget.code.datasets import ENCODED
from nz_explorer.widget.code.masks import part_text
from nz_explorer.widget.code.programs import ProgramWriter
from nz_explorer.widget.code.result import Code
from nz_explorer.widget.requests.export import unusual

_MOST_COLOURS = 64
"""Colours of categories that a program lists; of more they repeat."""


def code_of_columns(
    hierarchy: Hierarchy,
    group: Group,
    cells: Sequence[Cells],
    view: Mapping[str, Any],
    colours: str,
    budget: int = DEFAULT_BUDGET,
    scatter: Scatter | None = None,
) -> Code:
    """Return code that gets to what is shown of columns: ``values``, an array with a field for each.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    group : Group
        What the columns are in.
    cells : sequence of Cells
        What is shown: the same rows of each column.
    view : mapping
        How it is drawn; see `Explorer.view`.
    colours : str
        Name of the colormap.
    budget : int
        The byte budget of the explorer.
    scatter : Scatter, optional
        Two of the columns against each other, where that is what is shown.
    """
    writer = _ColumnWriter(hierarchy, group, {}, view, None, budget)
    nz = _with_nz(writer)
    columns = [
        _ColumnWriter(hierarchy, one.column.array, {}, view, one.look, budget) for one in cells
    ]
    if not cells or any(one.look is None for one in cells):
        return Code(zarr=nz, xarray=nz, nz=nz)
    drawn = list(_drawn(scatter, colours))
    programs = []
    for using in ("zarr", "xarray"):
        lines = writer.imported("matplotlib.pyplot as plt", "numpy as np", "zarr")
        if using == "xarray":
            refused = writer.refused_by_xarray(
                group.path, [one.column.array for one in cells if one.codes is None]
            )
            if refused:
                programs.append(program([comment(refused), *nz.splitlines()]))
                continue
            lines = writer.imported(
                "matplotlib.pyplot as plt", "numpy as np", "xarray as xr", "zarr"
            )
            lines += writer.open_xarray(group.path)
        lines.append("columns = {}")
        if any(one.words for one in cells):
            lines.append("orders = {}")
        for one, column in zip(cells, columns, strict=True):
            lines += column.column(one, using)
        programs.append(program([*lines, *drawn]))
    return Code(zarr=programs[0], xarray=programs[1], nz=nz)


def _with_nz(writer: _ColumnWriter) -> str:
    given = arguments(
        writer.given,
        path=writer.node.path,
        budget=writer.budget if writer.budget != DEFAULT_BUDGET else None,
    )
    return program(
        [
            *writer.imported("nz_explorer as nz"),
            f"ex = nz.explore({given})",
            line("ex.view = {}", unusual(writer.view)),
            "values = ex.values()",
            "ex",
        ]
    )


class _ColumnWriter(ProgramWriter):
    """Writes the lines of one column, and what they need."""

    def imported(self, *modules: str) -> list[str]:
        """Return lines that import packages."""
        return self._imports(*modules)

    def refused_by_xarray(self, group: str, columns: Sequence[Array]) -> str | None:
        """Return a sentence that says why xarray does not read columns of a group; None where it does."""
        if any(self._data_array(one.path, "") is None for one in columns):
            return ENCODED
        return self._refused_by_xarray(group, None)

    def open_xarray(self, group: str) -> list[str]:
        """Return lines that open a group as it is stored."""
        return self._open_xarray(group, decoded=False)

    def column(self, cells: Cells, using: Literal["zarr", "xarray"]) -> Iterator[str]:
        """Yield lines that read a column."""
        array, look, name = cells.column.array, self.look, cells.column.name
        assert look is not None and look.source is not None  # noqa: S101, PT018  # it was read
        parts = ", ".join(map(part_text, look.source.parts))
        refused = self._refused_by_zarr(array.path)
        if refused:
            yield comment(f"zarr refuses {array.path}: {refused}; nz_explorer reads it")
            yield "import nz_explorer as nz"
            yield "from nz_explorer.values import open_array"
            yield f"array = open_array(nz.open_store({self.given})[{literal(array.path)}])"
            yield f"stored = np.asarray(array[{parts}])"
        elif using == "xarray" and cells.codes is None:
            yield f"stored = {self._data_array(array.path, parts)}.values"
        else:
            yield from self._open_zarr(array.path, "array")
            yield f"stored = np.asarray(array[{parts}])"
        if look.stored is not None and look.stored.dtype.kind in "OT":
            yield "stored = stored.astype(object).astype(str)"
        yield from self._made_of_stored(array, None)
        if cells.column.categories is not None and cells.codes is not None:
            yield from self._open_zarr(cells.column.categories.path, "array")
            yield noted(
                "words = np.asarray(array[:]).astype(object).astype(str)",
                "what the codes stand for",
            )
            yield "missing = missing | (stored < 0) | (stored >= len(words))"
            yield "values = np.ma.masked_array(words[np.where(missing, 0, stored)], missing)"
            yield line("orders[{}] = words.tolist()", name)
        if cells.column.mask is not None:
            yield from self._open_zarr(cells.column.mask.path, "array")
            yield noted(f"missing = missing | np.asarray(array[{parts}], bool)", "what is masked")
            yield "values = np.ma.masked_array(values.data, missing)"
        yield line("columns[{}] = values", name)


def _drawn(scatter: Scatter | None, colours: str) -> Iterator[str]:
    """Yield lines that make one array of the columns, and draw it."""
    yield "kinds = [(name, one.dtype) for name, one in columns.items()]"
    yield "values = np.ma.zeros(len(stored), kinds)"
    yield "for name, one in columns.items():"
    yield "    values[name] = one"
    if scatter is None:
        yield "print(values)"
        return
    for one, name in zip(scatter.axes, ("x", "y", "shade"), strict=False):
        yield from _places(one, name)
    x, y, *third = scatter.axes
    if not third:
        yield line("plt.scatter(x, y, s=9, color={})", category_hex(0))
    elif third[0].words:
        shades = [category_hex(at) for at in range(min(len(third[0].words), _MOST_COLOURS))]
        yield line("colours = {}", shades)
        yield "drawn = [colours[int(one) % len(colours)] if one == one else 'none' for one in shade]"
        yield "plt.scatter(x, y, s=9, c=drawn)"
        yield f"for word, colour in zip(words[:{MOST_NAMED}], colours):"
        yield "    plt.scatter([], [], color=colour, label=str(word))"
        yield "plt.legend()"
    else:
        imported, given = colour_arguments(colours, *third[0].span, third[0].scale)
        yield from imported
        if third[0].scale == "log":
            yield noted("shade = np.where(shade > 0, shade, np.nan)", "others have no logarithm")
        yield f"plt.scatter(x, y, s=9, c=shade, {given})"
        ticks = [[place for place, _ in third[0].ticks]] if third[0].ticks else []
        told = line("label={}", safe(third[0].label, 60))
        yield f"bar = plt.colorbar({told})" if ticks else f"plt.colorbar({told})"
        if ticks:
            yield line(
                "bar.set_ticks({}, labels={})", ticks[0], [text for _, text in third[0].ticks]
            )
    for one, name in ((x, "x"), (y, "y")):
        if one.scale != "linear":
            near = f", linthresh={threshold(*one.span)!r}" if one.scale == "symlog" else ""
            yield f"plt.{name}scale({literal(one.scale)}{near})"
        if one.ticks:
            places, texts = ([*part] for part in zip(*one.ticks, strict=True))
            shown = [safe(text, LONGEST_WORD) for text in texts]
            yield line(f"plt.{name}ticks({{}}, {{}})", places, shown)
        yield line(f"plt.{name}lim({{}}, {{}})", *one.span)
        yield line(f"plt.{name}label({{}})", safe(one.label, 80))
    yield "plt.show()"


def _places(along: Along, name: str) -> Iterator[str]:
    """Yield lines that bind where rows lie; of words also these."""
    column = line("values[{}]", along.cells.column.name)
    kind = along.cells.values.dtype.kind
    if along.words:
        key = along.cells.column.name
        yield f"there = set({column}.compressed().tolist())"
        order = line("orders[{}]", key) if along.cells.words else "sorted(there)"
        yield f"words = [one for one in {order} if one in there]"
        yield "number = {word: at for at, word in enumerate(words)}"
        yield f"{name} = np.array([number.get(one, np.nan) for one in {column}.tolist()], float)"
        return
    if kind in "mM":
        yield f"{name} = np.where(np.isnat({column}.data), np.nan, {column}.data.astype('i8'))"
        yield f"{name} = np.where(np.ma.getmaskarray({column}), np.nan, {name})"
    else:
        number = f"np.abs({column})" if kind == "c" else column
        yield f"{name} = {number}.astype(float).filled(np.nan)"
