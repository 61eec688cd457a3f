"""Python that reproduces a view with zarr, with xarray, and with this package.

What a program binds as ``values`` equals what `Explorer.values` returns, whichever package reads: all of them get the
stored values, and mask and unpack them as the picture does. Where a package refuses the store, this one reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array, Group, Hierarchy, Node
from nz_explorer.plots.drawing.legends import title_program
from nz_explorer.plots.drawing.parts import places_of
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.plots.registry import kind_of
from nz_explorer.plots.shown_values import Reading, shown_values
from nz_explorer.text.source_code import arguments, comment, line, literal, noted, program
from nz_explorer.values.cf_decoding import packing as packing_of
from nz_explorer.values.coordinates.curvilinear import Curvilinear
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.masks.cell_states import UNREADABLE
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.values.window import DEFAULT_BUDGET
from nz_explorer.widget.code.datasets import (
    ENCODED,
    array_of_object,
    is_file,
    is_object,
    is_served,
    opened_file,
    part_of_object,
    refused_file,
)
from nz_explorer.widget.code.grid_places import grid_lines
from nz_explorer.widget.code.limits import in_force
from nz_explorer.widget.code.masks import missing_lines, part_text, range_lines, turned
from nz_explorer.widget.code.other_stores import compared_with, given_as, opened_elsewhere
from nz_explorer.widget.code.reductions import reduced_lines
from nz_explorer.widget.code.refusal import refused_by_xarray, refused_by_zarr
from nz_explorer.widget.code.result import Code
from nz_explorer.widget.requests.export import drawing, unusual

STORE, DATASET = (f"# {name}: what you opened the explorer with" for name in ("store", "ds"))
Using = Literal["zarr", "xarray"] | None
_TICKS = "np.ma.masked_array(np.where(np.isnat(values), np.nan, values.astype('i8')), values.mask)"
_PARTS = {"real": "np.real", "imaginary": "np.imag", "magnitude": "np.abs", "phase": "np.angle"}


def code(
    hierarchy: Hierarchy,
    node: Node,
    index: Mapping[str, int],
    view: Mapping[str, Any] | None = None,
    look: QuickLook | None = None,
    budget: int = DEFAULT_BUDGET,
) -> Code:
    """Return code that gets to a node and, for an array, to what its picture shows.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    node : Node
        A group or an array.
    index : mapping of str to int
        What is fixed, by dimension.
    view : mapping
        How it is drawn; see `Explorer.view`.
    look : QuickLook
        The picture of an array, with all elements of a line.
    budget : int
        The byte budget of the explorer.
    """
    writer = ProgramWriter(hierarchy, node, index, view or {}, look, budget)
    return Code(zarr=writer.with_zarr(), xarray=writer.with_xarray(), nz=writer.with_nz())


class ProgramWriter:
    """Writes the programs of one view."""

    def __init__(
        self,
        hierarchy: Hierarchy,
        node: Node,
        index: Mapping[str, int],
        view: Mapping[str, Any],
        look: QuickLook | None,
        budget: int,
    ) -> None:
        self.hierarchy = hierarchy
        self.node = node
        self.index, self.view = dict(index), dict(view)
        self.look = look
        read = None if look is None else look.read
        whole = read and read.chunks_read == read.chunks_total  # also of more than the budget
        self.budget = max(budget, read.whole_bytes if read and whole else 0)
        self.reading = Reading.of(view)
        self.given = given_as(hierarchy)
        self.served = is_served(hierarchy)
        self.source = "store" if self.served else self.given

    # --- the three programs ----------------------------------------------------------------

    def with_nz(self) -> str:
        """Return a program with this package."""
        lines = [*self._imports("nz_explorer as nz"), *self._why_not(), *self._explorer()]
        lines += ["values = ex.values()"] if self._has_values else []
        return program([*lines, "ex", "", "# whole, as xarray has it:", "# ex.to_xarray()"])

    def with_zarr(self) -> str:
        """Return a program with zarr."""
        node = self.node
        if not isinstance(node, Array):
            opened = [*self._why_not(), *self._open_zarr(node.path, "group")]
            return program([*self._imports("zarr"), *opened, "print(group.tree())"])
        look, modules = self.look, ["matplotlib.pyplot as plt", "numpy as np"]
        if look is None or look.source is None:
            opened = [*self._why_not(), *self._open_zarr(node.path, "array")]
            held = ["values = array[...]"] if self._empty else []
            return program([*self._imports("zarr"), *opened, *held, "print(array)"])
        if self._unreadable:
            return self._around_chunks(modules)
        refused = self._refused_by_zarr(look.source.path)
        if refused:
            opened = [
                comment(f"zarr refuses this array: {refused}; nz_explorer reads it"),
                f"array = open_array(nz.open_store({self.given})[{literal(look.source.path)}])",
            ]
            lines = [
                *self._imports(*modules, "nz_explorer as nz"),
                "from nz_explorer.values import open_array",
                "",
            ]
        else:
            lines, opened = (
                self._imports(*modules, "zarr"),
                self._open_zarr(look.source.path, "array"),
            )
        parts = ", ".join(map(part_text, look.source.parts)) or "..."
        lines += [*self._cost(), *opened, f"stored = np.asarray(array[{parts}]){turned(self.look)}"]
        lines += self._made_of_stored(node, None if refused else "zarr")
        lines += self._subtracted("zarr")
        return program([*lines, *self._drawn(node, using=None if refused else "zarr")])

    def with_xarray(self) -> str:
        """Return a program with xarray."""
        node, look = self.node, self.look
        array = node if isinstance(node, Array) else None
        modules = ["xarray as xr"]
        if array is None or look is None or look.source is None:
            group = (node.parent or "/") if array is not None else node.path
            refused = self._refused_by_xarray(group, None)
            shown = "ds" if array is None else line("ds[{}]", array.name or None)
            if is_object(self.hierarchy):
                shown = part_of_object(self.hierarchy, node.path)
            if refused:
                return self._around_xarray(refused)
            held = [f"values = {shown}.to_masked_array()"] if self._empty else []
            lines = [*self._imports(*modules), *self._open_xarray(group, decoded=not held)]
            return program([*lines, *held, f"print({shown})"])
        path = look.source.path
        group, name = path.rpartition("/")[0] or "/", path.rpartition("/")[2]
        if self._unreadable:
            return self._around_chunks(["numpy as np"])
        refused = self._refused_by_xarray(group, name)
        if refused:
            return self._around_xarray(refused)
        lines = [*self._imports("matplotlib.pyplot as plt", "numpy as np", *modules), *self._cost()]
        lines += self._open_xarray(group, decoded=False)
        parts = ", ".join(map(part_text, look.source.parts))
        lines += [
            f"da = {self._data_array(path, parts)}",
            f"stored = da.values{turned(self.look)}",
            *self._made_of_stored(array, "xarray"),
            *self._subtracted("xarray"),
        ]
        return program([*lines, *self._drawn(array, using="xarray")])

    # --- where a package cannot ------------------------------------------------------------

    @property
    def _has_values(self) -> bool:
        return self._empty or (self.look is not None and self.look.stored is not None)

    @property
    def _empty(self) -> bool:
        return isinstance(self.node, Array) and 0 in (self.node.shape or ())

    @property
    def _unreadable(self) -> bool:
        states = None if self.look is None else self.look.stored_states
        return states is not None and bool((states[0] == UNREADABLE).any())

    def _explorer(self) -> list[str]:
        budget = self.budget if self.budget != DEFAULT_BUDGET else None
        given = arguments(self.given, path=self.node.path, budget=budget)
        lines = [f"ex = nz.explore({given})"]
        minus = None if self.look is None else self.look.minus
        if minus is not None and minus.hierarchy is not None:
            other, note = compared_with(minus.hierarchy)
            lines.append(noted(f"ex.compare({other})", note))
        if isinstance(self.node, Array):
            if self.index:
                lines.append(line("ex.index = {}", self.index))
            view = unusual(in_force(self.view, self.look))
            if view:
                lines.append(line("ex.view = {}", view))
        return lines

    def _around_chunks(self, modules: list[str]) -> str:
        note = (
            "some chunks of this slice cannot be read, and a package that decodes all stops there"
        )
        lines = [*self._imports(*modules, "nz_explorer as nz"), comment(note), *self._explorer()]
        return program([*lines, "values = ex.values()", "ex.figure()"])

    def _around_xarray(self, refused: str) -> str:
        lines = [
            *self._imports("nz_explorer as nz"),
            comment(refused),
        ]
        lines += self._explorer()
        if not self._has_values:
            return program([*lines, "print(ex.to_xarray())"])
        lines += ["values = ex.values()", "da = ex.to_xarray(shown=True)", "ex.figure()"]
        return program(lines)

    def _refused_by_zarr(self, path: str) -> str | None:
        return refused_by_zarr(self.hierarchy.reader, self.node.hierarchy[path])

    def _refused_by_xarray(self, group: str, name: str | None) -> str | None:
        """Return a sentence that says why xarray does not read an array; None where it does."""
        if is_file(self.hierarchy):
            return refused_file(self.hierarchy)
        if not is_object(self.hierarchy):
            return refused_by_xarray(self.hierarchy.reader, self.node.hierarchy, group, name)
        minus = None if self.look is None else self.look.minus
        paths = [] if name is None else [f"{group.rstrip('/')}/{name}"]
        paths += [] if minus is None or minus.hierarchy else [minus.path]
        return None if all(self._data_array(one, "") for one in paths) else ENCODED

    # --- opening -----------------------------------------------------------------------------

    def _imports(self, *modules: str) -> list[str]:
        said = {"store": [STORE], "ds": [DATASET]}.get(self.given, [])
        if "xarray" in modules[-1] and (is_object(self.hierarchy) or is_file(self.hierarchy)):
            return [*(f"import {module}" for module in modules), "", *said]
        if self.served and not modules[-1].startswith("nz_explorer"):
            modules = (*modules, "nz_explorer as nz")
            said = [*said, f"store = nz.open_store({self.given}).reader.open_zarr_store()"]
        return [*(f"import {module}" for module in modules), "", *said]

    def _inside(self, path: str) -> str | None:
        """Return a path below what the source names, None for itself."""
        parts = (self.hierarchy.reader.prefix, path.strip("/"))
        return "/".join(part for part in parts if part) or None

    @property
    def _zipped(self) -> bool:
        return self.hierarchy.reader.kind == "zip file"

    def _store(self) -> tuple[list[str], str]:
        if not self._zipped:
            return [], self.source
        return [f"store = zarr.storage.ZipStore({arguments(self.source, mode='r')})"], "store"

    def _open_zarr(self, path: str, kind: Literal["group", "array"]) -> list[str]:
        lines, source = self._store()
        node = self.node.hierarchy.get(path)
        form = None if node is None or node.zarr_format != 2 else 2
        # Opened by its path, a group shows the copy that is in it, and not that of the root.
        inside = kind == "group" and path != "/"
        from_root = inside and self._consolidated
        given = arguments(
            source,
            path=self._inside("/" if from_root else path),
            mode="r",
            zarr_format=form,
            use_consolidated=False if inside and not from_root else None,
        )
        part = f"[{literal(path[1:])}]" if from_root else ""
        return [*lines, f"{kind} = zarr.open_{kind}({given}){part}"]

    @property
    def _consolidated(self) -> bool:
        return self.hierarchy.metadata_source == "consolidated"

    def _data_array(self, path: str, parts: str) -> str | None:
        """Return an expression of a part of an array as xarray has it, as it is stored."""
        if is_object(self.hierarchy):
            return array_of_object(self.hierarchy, path, parts)
        return line("ds[{}]", path.rpartition("/")[2]) + (f"[{parts}]" if parts else "")

    def _open_xarray(self, group: str, *, decoded: bool) -> list[str]:
        if is_object(self.hierarchy):
            return []
        if is_file(self.hierarchy):
            return [opened_file(self.hierarchy, group, decoded=decoded)]
        source = self.source
        lines = []
        if self._zipped:
            lines, source = ["import zarr"], f"zarr.storage.ZipStore({arguments(source, mode='r')})"
        options = arguments(
            source,
            group=self._inside(group),
            consolidated=self._consolidated,
            decode_cf=None if decoded else False,
        )
        return [*lines, f"ds = xr.open_zarr({options})"]

    def _why_not(self) -> list[str]:
        """Say why there is no picture, as the plot does."""
        look = self.look
        if not isinstance(self.node, Array | Group):
            return [comment(self.node.unreadable())]
        return [] if look is None or look.source or not look.message else [comment(look.message)]

    def _cost(self) -> list[str]:
        """Say what reading takes where the picture has not read all of it."""
        read = None if self.look is None else self.look.read
        if read is None or read.complete:
            return []
        some, whole = bytes_text(read.decoded_bytes), bytes_text(read.whole_bytes)
        return [comment(f"this decodes {whole}; the picture has decoded {some} of it")]

    # --- what is made of stored values ---------------------------------------------------------

    def _subtracted(self, using: Literal["zarr", "xarray"]) -> Iterator[str]:
        """Yield lines that subtract another slice, or another array, from ``values``."""
        minus = None if self.look is None else self.look.minus
        other = None if minus is None else minus.hierarchy
        array = None if minus is None else (other or self.node.hierarchy).get(minus.path)
        if minus is None or not isinstance(array, Array) or minus.beside == "a":
            return
        parts = ", ".join(map(part_text, minus.parts)) or "..."
        what = "the other" if minus.beside else "what is subtracted"
        times = array.data_type.kind in ("datetime", "timedelta")
        number = _TICKS if times else "values.astype(float)"
        yield f"shown = {number}"
        yield comment(f"{what}: {array.path}")
        if other is not None:
            yield from opened_elsewhere(other, array.path)
            yield f"stored = np.asarray(array[{parts}]){turned(self.look)}"
        elif using == "zarr":
            yield from self._open_zarr(array.path, "array")
            yield f"stored = np.asarray(array[{parts}]){turned(self.look)}"
        else:
            if array.parent != self.node.parent:
                yield from self._open_xarray(array.parent or "/", decoded=False)
            yield f"stored = {self._data_array(array.path, parts)}.values{turned(self.look)}"
        yield from self._made_of_stored(array, using if other is None else None)
        made = {"": f"values = shown - {number}", "b": f"values = {number}"}
        yield made.get(minus.beside, "values, other = shown, values")

    def _made_of_stored(self, array: Array, using: Using) -> Iterator[str]:
        """Yield lines that mask and unpack ``stored``."""
        reading, look = self.reading, self.look
        if look is not None and look.derived:
            reading = Reading()  # what it is made of was masked and unpacked before
        fill = {"nz": array.fill, "storage": array.storage_fill, "raw": None}[reading.mask]
        yield from missing_lines(array, fill, reading)
        if reading.decoded and reading.mask != "raw" and look is not None:
            yield from range_lines(array)
        values = "stored"
        if reading.part is not None and array.data_type.kind == "complex":
            values = f"{_PARTS[reading.part]}(stored)"
        reduction = None if look is None else look.reduction
        packing = None if look is None or not reading.decoded else look.packing
        if look is not None and look.derived:
            packing = packing_of(array)
        if packing is None:
            yield f"values = np.ma.masked_array({values}, missing)"
        else:
            scaled = line("stored.astype(float) * {} + {}", packing.scale, packing.offset)
            yield noted(f"values = np.ma.masked_array({scaled}, missing)", "unpacked, as CF says")
        if reduction is not None and look is not None:
            along = look.latitudes
            places = [] if along is None else self._places(array, along, "latitude", using=using)
            nan = bool(np.isnan(shown_values(look, reading).compressed()).any())
            yield from reduced_lines(reduction, places, undefined=nan)

    # --- drawing -------------------------------------------------------------------------------

    def _drawn(self, array: Array, *, using: Using) -> list[str]:
        """Return lines that draw ``values``; coordinates are read with the same package where it reads them."""
        look = self.look
        drawn = self._plotted(look, "values", array, using)
        if look is None or look.beside is None:
            return drawn
        other = self._plotted(look.beside, "other", array, using)
        wide = ["plt.figure(figsize=(13, 5))", "plt.subplot(1, 2, 1)"]
        both = [*wide, *drawn, "plt.subplot(1, 2, 2)", *other]
        return both if "plt." in "".join(drawn) else [*drawn, *other]  # tables are printed

    def _plotted(
        self, look: QuickLook | None, values: str, array: Array, using: Using
    ) -> list[str]:
        kind = None if look is None else kind_of(look)
        if look is None or kind is None or look.stored is None:
            return [f"print({values})"]
        if self.reading.part is None and look.part is not None:
            values = f"{_PARTS[look.part]}({values})"
        if look.stored.dtype.kind in "mM":
            values = f"np.ma.masked_where(np.isnat({values}.data), {values}.astype('i8'))"
        view = View.of(drawing(self.view), kind.controls)
        lines = kind.program(look, view, values, partial(self._places, array, using=using))
        return [*lines, title_program(look)] if "plt." in "".join(lines) else lines

    def _places(self, array: Array, axis: Axis | Curvilinear, name: str, using: Using) -> list[str]:
        """Return the line that binds where the points of an axis lie, or of a grid; none where a grid is not read."""
        if isinstance(axis, Curvilinear):
            source = None if self.look is None else self.look.source
            if using is None or source is None:
                return []
            read = partial(self._read, using=using)
            return grid_lines(self.node.hierarchy, source, axis, name, read)
        places = np.asarray(places_of(axis), np.float64)
        known = None if using is None else self._coordinate(array, axis, places, using)
        if known is not None:
            return [f"{name} = {known}"]
        start, last = (float(places[at]) if places.size else 0.0 for at in (0, -1))
        step = (last - start) / (places.size - 1) if places.size > 1 else 1.0
        step = float(f"{step:.15g}")  # 0.1, and a billionth of a step is not seen
        even = start + step * np.arange(places.size)
        if bool((np.abs(places - even) <= 1e-9 * abs(step)).all()):
            return [line(f"{name} = {{}} + {{}} * np.arange({{}})", start, step, int(places.size))]
        return [line(f"{name} = np.array({{}})", [float(place) for place in places])]

    def _coordinate(
        self,
        array: Array,
        axis: Axis,
        places: np.ndarray[Any, Any],
        using: Literal["zarr", "xarray"],
    ) -> str | None:
        """Return an expression that reads the coordinate of an axis, where it has just these numbers."""
        look = self.look
        names = [array.dimension_label(number) for number in range(array.ndim or 0)]
        if look is None or look.source is None or look.source.path != array.path:
            return None
        if axis.label not in names:
            return None
        number = names.index(axis.label)
        coordinate, _ = find_coordinate(array, number)
        part = look.source.parts[number]
        if coordinate is None or coordinate.parent != array.parent:
            return None
        try:
            stored = np.asarray(open_for_reading(coordinate).zarr[part])
        except Exception:  # noqa: BLE001  # whatever stores and codecs raise: then it is not read
            return None
        if stored.dtype.kind not in "iuf" or not np.array_equal(stored.astype(float), places):
            return None
        return self._read(coordinate, part_text(part), using)

    def _read(self, array: Array, parts: str, using: Literal["zarr", "xarray"]) -> str | None:
        """Return an expression that reads a part of another array; None where zarr does not open it."""
        if self._refused_by_zarr(array.path):
            return None
        if using == "xarray":
            found = self._data_array(array.path, parts)
            return None if found is None else f"{found}.values"
        source = "store" if self._zipped else self.source
        form = 2 if array.zarr_format == 2 else None
        given = arguments(source, path=self._inside(array.path), mode="r", zarr_format=form)
        return f"zarr.open_array({given})[{parts}]"
