"""Python that reproduces the table, or the scatter, of a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from nz_explorer.model import Group, Hierarchy
from nz_explorer.plots.columns.collect import Cells
from nz_explorer.plots.columns.scatter import label
from nz_explorer.text.source_code import arguments, comment, line, literal, noted, program
from nz_explorer.values.window import DEFAULT_BUDGET
from nz_explorer.widget.code.masks import part_text
from nz_explorer.widget.code.programs import ProgramWriter
from nz_explorer.widget.code.result import Code
from nz_explorer.widget.requests.export import unusual


def code_of_columns(
    hierarchy: Hierarchy,
    group: Group,
    cells: Sequence[Cells],
    view: Mapping[str, Any],
    colours: str,
    budget: int = DEFAULT_BUDGET,
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
    """
    writer = _ColumnWriter(hierarchy, group, {}, view, None, budget)
    nz = _with_nz(writer)
    columns = [
        _ColumnWriter(hierarchy, one.column.array, {}, view, one.look, budget) for one in cells
    ]
    if not cells or any(one.look is None for one in cells):
        return Code(zarr=nz, xarray=nz, nz=nz)
    drawn = list(_drawn(cells, view, colours))
    programs = []
    for using in ("zarr", "xarray"):
        lines = writer.imported("matplotlib.pyplot as plt", "numpy as np", "zarr")
        if using == "xarray":
            refused = writer.refused_by_xarray(group.path)
            if refused:
                programs.append(
                    program([comment(f"xarray refuses this group: {refused}"), *nz.splitlines()])
                )
                continue
            lines = writer.imported(
                "matplotlib.pyplot as plt", "numpy as np", "xarray as xr", "zarr"
            )
            lines += writer.open_xarray(group.path)
        lines.append("columns = {}")
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

    def refused_by_xarray(self, group: str) -> str | None:
        """Return why xarray does not open a group; None where it does."""
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
            yield line("stored = ds[{}]", array.name) + f".values[{parts}]"
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
        yield line("columns[{}] = values", name)


def _drawn(cells: Sequence[Cells], view: Mapping[str, Any], colours: str) -> Iterator[str]:
    """Yield lines that make one array of the columns, and draw it."""
    yield "kinds = [(name, one.dtype) for name, one in columns.items()]"
    yield "values = np.ma.zeros(len(stored), kinds)"
    yield "for name, one in columns.items():"
    yield "    values[name] = one"
    if view.get("kind") != "scatter":
        yield "print(values)"
        return
    x, y, *third = (one.column.name for one in cells)
    given = ""
    if third and cells[2].column.numeric:
        given = line(", c=values[{}], cmap={}", third[0], colours)
    elif third:
        yield line("words = values[{}].filled('')", third[0])
        given = ", c=np.unique(words, return_inverse=True)[1], cmap='tab20'"
    yield line("plt.scatter(values[{}], values[{}]", x, y) + f"{given}, s=9)"
    yield line("plt.xlabel({})", label(cells[0].column))
    yield line("plt.ylabel({})", label(cells[1].column))
    yield "plt.show()"
