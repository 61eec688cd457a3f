"""The explorer: the widget in the notebook, and the same selection in Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import traitlets

from nz_explorer.model import Array, Group, Hierarchy, Node
from nz_explorer.widget.code import code
from nz_explorer.widget.explorer.displayed_widget import DisplayedWidget
from nz_explorer.widget.explorer.traits import Selection
from nz_explorer.widget.requests import animation, export, tables
from nz_explorer.widget.requests import series as pinned
from nz_explorer.widget.session_view import ALL_POINTS

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import xarray
    import zarr
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from nz_explorer.plots import QuickLook
    from nz_explorer.report.store_diff import Comparison

STATIC = Path(__file__).parent.parent / "static"


def _front_end(name: str) -> str | Path:
    """Return a file of the front end: its text, or its path where it is to be reloaded when it changes.

    A file that anywidget watches keeps every widget that was ever made.
    """
    file = STATIC / name
    return file if os.environ.get("ANYWIDGET_HMR") == "1" else file.read_text("utf-8")


class Explorer(DisplayedWidget):
    """A hierarchy, explored in the notebook and from Python at once.

    Made by `explore`.

    Attributes
    ----------
    path : str
        Absolute path of the selected node; setting it moves the widget, clicking in the widget sets it.
    index : dict of str to int
        The index at which each dimension is fixed in the picture; two-way, too. A dimension without a name of
        its own is called ``dim_<axis>``.
    view : dict
        How the picture is drawn, and what it shows. Absent keys have their default. Those below
        ``mask``, ``cf``, ``coordinates`` and ``coastlines`` are of one array: they come back with it, and the next one has its own.

        - ``mask``: what counts as missing: ``nz`` (``_FillValue``), ``storage`` (``fill_value``), ``raw``
          (nothing), or ``differences`` between the first two;
        - ``cf``: whether scale, offset, ``missing_value`` and valid range of CF are applied, as they are by default;
        - ``coordinates``: whether a map is drawn on its two-dimensional coordinates, as it is by default;
        - ``coastlines``: whether they are drawn, as they are by default, over a map whose longitudes and latitudes are
          known (for a projected grid this takes pyproj); ``graticule``: whether meridians and parallels are;
        - ``colormap``: a name of matplotlib, cmocean (``cmo.thermal``) or cmcrameri (``cmc.batlow``), instead of
          what suits the array; ``reverse``: the other way; ``levels``: into how many colours it is divided;
        - ``limits`` of the colours: ``held`` from the first slice shown, as by default, ``frame``: those of each
          slice, ``whole``: of the whole array, ``robust``: of the slice without its lowest and highest 2 %. Where zero
          is the middle of a quantity they are symmetric about it. ``low``, ``high``: typed ones instead;
        - ``scale``: ``linear``, ``log`` or ``symlog``; of a scatter it and the limits are of colours, else of ``y``;
        - ``window``: part of dimensions, by name: ``[first, after the last]``; of a two-dimensional coordinate its
          range, as in ``{"nav_lon": [-20, 40]}``: `values` are then the smallest part of the array that holds it;
        - ``x``, ``y``: names of the dimensions along the axes, instead of the last two; ``kind``: ``line``, ``lines`` (up
          to twelve, each at an index of ``y``), ``map``, ``cells`` (a map of an
          unstructured grid), ``image``, ``histogram``, ``table``; of a group ``pictures``,
          ``table`` (of its arrays that share a ``dimension``) or ``scatter``: ``x``, ``y`` (each in its ``window``), ``color``;
        - ``reduce``: by dimension what is shown in place of its values: ``mean`` (weighted by area along latitudes),
          ``min``, ``max``, ``std`` or ``any``, the same for all; ``against``: what is subtracted, an index as in
          ``{"time": 0}``, the path of an array, or ``{"store": "…"}``, the same array of the store that `compare` was
          given; with ``"show": "a"`` or ``"b"`` one of the two instead, in the limits of both, or with ``"both"`` one
          beside the other: `values` are then those of the first;
        - ``part`` of complex numbers: ``real``, ``imaginary``, ``magnitude`` or ``phase``.
    selection : dict of str to int or slice
        What the picture shows, by dimension: an index, or a slice of evenly spaced points; empty for a group.
        ``ex.to_xarray().isel(ex.selection)`` is what is shown, as xarray has it. It can be observed, not set.
    bookmarks : list of str
        Paths to come back to; two-way. A cell that is run again in a notebook has them, and path, index, view,
        pins and the limits that held, from the user's state folder.
    pins : list of dict
        Points whose series are beside the picture: an index by dimension, as in ``{"lat": 12, "lon": 40}``;
        two-way, and kept as bookmarks are.
    panel : str
        The tab in front: ``plot``, ``dimensions``, ``findings``, ``metadata``, ``netcdf`` or ``code``; or a
        section of one, which unfolds: ``conventions`` of the findings, ``storage`` of the metadata, ``fill`` and
        ``glossary`` of netCDF, any by tab and name as in ``netcdf#missing``; or what lies over the tab in front:
        ``readers``, ``changes``, ``report``, ``comparison`` or ``history``.
    """

    _esm = _front_end("widget.js")
    _css = _front_end("widget.css")

    selection = Selection()

    # --- the selection ----------------------------------------------------------------------

    @traitlets.validate("path")
    def _valid_path(self, proposal: Any) -> str:
        node = self._node(proposal["value"])
        return node.path

    @traitlets.observe("path", "index", "view")
    def _send_selection(self, _: Any) -> None:
        # Working it out may read chunks: not for nobody.
        if not self._trait_notifiers.get("selection", {}).get("change"):
            return
        before, self._sent_selection = self._sent_selection, self.selection
        if self._sent_selection != before:
            self.notify_change(
                traitlets.Bunch(
                    name="selection",
                    old=before,
                    new=self._sent_selection,
                    owner=self,
                    type="change",
                )
            )

    def shown(self) -> dict[str, int | slice]:
        """Return what the picture shows: what `selection` is."""
        return export.selection(self._look()) if isinstance(self.node, Array) else {}

    def _node(self, path: str) -> Node:
        return self._session.tree.node(path)

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy, as `open_store` gives it; without the edits of `what_if`."""
        return self._session.base.hierarchy

    @property
    def node(self) -> Node:
        """The selected node."""
        return self._node(self.path)

    @property
    def array(self) -> zarr.Array[Any]:
        """The selected array, opened by zarr.

        Raises
        ------
        TypeError
            If a group is selected.
        UnsupportedArray
            If zarr cannot open it.
        """
        from nz_explorer.values import open_array

        return open_array(self._selected_array())

    def _selected_array(self) -> Array:
        node = self._readable_node()
        if not isinstance(node, Array):
            raise TypeError(f"{node.path} is no array; set ex.path to one")
        return node

    def _readable_node(self) -> Node:
        from nz_explorer.values import UnsupportedArray

        node = self.node
        if not isinstance(node, Array | Group):
            raise UnsupportedArray(node.unreadable())
        return node

    def to_xarray(
        self, *, shown: bool = False
    ) -> xarray.DataArray | xarray.Dataset | xarray.DataTree:
        """Return the selected node for xarray, whole, masked and decoded, however it is viewed.

        Parameters
        ----------
        shown : bool
            Just what the picture shows instead: the numbers of `values` with their coordinates, NaN where one is
            missing.

        Returns
        -------
        DataArray, Dataset or DataTree
            For an array, a group without groups, a group with groups. Values are read when they are used; those
            that are shown are read.

        Raises
        ------
        UnsupportedArray
            If the selection cannot be read.
        """
        from nz_explorer.plots.shown_values import Reading
        from nz_explorer.values.to_xarray import to_xarray

        if shown:
            array = self._selected_array()
            look, reading = self._look(thin=False), Reading.of(self.view)
            export.warn_of_rounding(export.readable(look, array, reading))
            return export.shown_xarray(look, array, reading)
        return to_xarray(self._readable_node())

    def figure(self, **options: Any) -> Figure:
        """Return the picture of the selection as a matplotlib figure.

        Of a group its one-dimensional arrays that share a dimension, or the table or scatter that `view` asks for.

        Parameters
        ----------
        **options
            How it is drawn, instead of the values in `view`: ``mask``, ``colormap``, ``reverse``, ``limits``,
            ``low``, ``high``, ``scale``, ``levels``, ``decoded`` (scale, offset, ``missing_value`` and valid range of CF),
            ``curvilinear`` (on its two-dimensional coordinates), ``coastlines``, ``graticule``, ``width`` and ``height``
            in inches. Of a group: the last two, and the ``dimension`` that its arrays share.
        """
        from nz_explorer.plots import figure, lines_figure
        from nz_explorer.plots.builder import nothing

        node = self.node
        if columns := tables.shown(self._session, node, self.view):
            return columns.figure(**options)
        if isinstance(node, Group):
            found = self._session.lines(node, options.pop("dimension", None))
            return lines_figure(found, **options)
        look = self._look() if isinstance(node, Array) else nothing(node.path, node.unreadable())
        return figure(look, **{**export.drawing(self.view), **options})

    def animate(self, dimension: str, *, fps: float = 8.0, **options: Any) -> FuncAnimation:
        """Return the picture at each index of a dimension, as an animation of matplotlib.

        Parameters
        ----------
        dimension : str
            Of the selected array, and not along an axis of the picture: such as ``time``.
        fps : float
            Frames per second.
        **options
            As for `figure`.

        Returns
        -------
        FuncAnimation
            ``.save("x.gif")`` writes a GIF, ``.save("x.mp4")`` a film where there is ffmpeg. Limits are those of `view`.

        Raises
        ------
        KeyError
            If there is no such dimension beside the axes.
        """
        array = self._selected_array()
        if self.view.get("limits") == "whole":
            self._look()
        given = {**export.drawing(self.view), **options}
        return animation.animated(
            self._session, array, dimension, self.index, self.view, fps, **given
        )

    def _look(self, *, everything: bool = False, **options: Any) -> QuickLook:
        looking = export.looking(self.view)
        array = self._selected_array()
        if everything:
            options |= {"width": ALL_POINTS, "height": ALL_POINTS, "everything": True}
        if self.view.get("limits") == "whole" and not self._session.scans.finish(
            array, self._budget
        ):
            warnings.warn(
                "the limits of the whole array are not known, so the held ones are used: compute its statistics in the widget",
                stacklevel=3,
            )
        look = self._session.quicklook(array, self.index, **{**looking, **options})
        return self._session.limits.known(array, look)

    def sel(
        self, choice: Mapping[str, Any] | None = None, *, exact: bool | None = None, **choices: Any
    ) -> Explorer:
        """Fix dimensions of the selected array by coordinate value.

        Parameters
        ----------
        choice, **choices
            By dimension: a number; a date, or a text such as ``2001-07-03``; a length of time such as ``12h``; a name.
        exact : bool, optional
            Whether the value must be there exactly; else the nearest is taken, with a warning by default.

        Returns
        -------
        Explorer
            Itself, so that ``ex.sel(time="2001-07").figure()`` works.

        Raises
        ------
        KeyError
            If there is no such dimension, or no such value.
        ValueError
            If a dimension has no coordinate to go by.
        """
        from nz_explorer.values.coordinates.label_lookup import nearest

        array = self._selected_array()
        names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
        found = {}
        for name, value in {**(choice or {}), **choices}.items():
            if name not in names:
                known = ", ".join(names) or "none"
                raise KeyError(f"{array.path} has no dimension {name!r}; it has {known}")
            given = array, names.index(name), value
            found[name], taken = nearest(*given, exact=bool(exact), cache=self._session.cache)
            if taken and exact is None:
                warnings.warn(f"{name} has no {value!r}: the nearest is {taken}", stacklevel=2)
        self.index = {**self.index, **found}
        return self

    def values(self, *, whole: bool = False, packed: bool = False) -> np.ma.MaskedArray[Any, Any]:
        """Return the values at the points of the picture, or all (``whole=True``), decoded and masked as it is.

        Parameters
        ----------
        whole : bool
            Every element of the slice, whatever it takes.
        packed : bool
            As they are stored, neither unpacked nor masked by ``missing_value`` or a valid range.

        Returns
        -------
        numpy.ma.MaskedArray
            Packed values are unpacked by ``scale_factor`` and ``add_offset`` to float64; of complex numbers the part
            that `view` names. Masked where they equal ``_FillValue`` – or what the ``mask`` of `view` says: the
            storage ``fill_value`` (``storage``), or nothing (``raw``) – or ``missing_value``, lie outside the valid range, or
            where a chunk is unreadable or was not read. A chunk that was never written has the storage
            ``fill_value``, as for every reader. Of a group's table (every row) or scatter a field for each column.

        Raises
        ------
        ValueError
            If there is no picture.
        TypeError
            If a group is selected, and `view` asks for no table of it.
        UnsupportedArray
            If the selection cannot be read.
        """
        from nz_explorer.plots.shown_values import Reading

        if columns := tables.shown(self._session, self.node, self.view, whole=whole):
            return columns.values()
        look = self._look(everything=whole, thin=False)
        return export.readable(look, self._selected_array(), Reading.of(self.view, packed=packed))

    def series(self, dimension: str) -> xarray.DataArray:
        """Return the values at the pinned points along a dimension, decoded and masked.

        Parameters
        ----------
        dimension : str
            Of the selected array, such as ``time`` for time series, ``depth`` for profiles.

        Returns
        -------
        DataArray
            Of dimensions ``pin`` and `dimension`, float64, NaN where a value is missing; other dimensions are reduced
            as in `view`. Every element is read, however many bytes that takes; chunks are kept for the next time.

        Raises
        ------
        KeyError
            If the array has no such dimension.
        TypeError, ValueError
            If a group is selected; if no point is pinned.
        """
        array = self._selected_array()
        found = pinned.along(self._session, array, dimension, self.pins, self.index, self.view)
        return pinned.as_xarray(array, found, self.pins, self.view)

    def export(
        self,
        file: str | PathLike[str],
        *,
        series: str | None = None,
        whole: bool = False,
        packed: bool = False,
    ) -> Path:
        """Write what is shown to a file: a picture, or its values.

        Parameters
        ----------
        file
            Its extension determines the format: png, svg, npy, csv or nc. Files of numbers hold what `values`
            returns, NaN where one is missing (in csv, and of texts, nothing); times are dates in csv, and netCDF has
            attributes that unpack its values, and integers and a ``_FillValue`` where some of them are missing.
        series : str, optional
            A dimension: what is written, to csv or nc, is the series of the pinned points along it instead.
        whole : bool
            Write every element, however many bytes that takes. Otherwise files of numbers have as many points
            as the picture, as `values` has, and where elements are left out there is a warning.
        packed : bool
            Write numbers as they are stored.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            If the extension is not one of these, or the selection cannot be written in that format.
        """
        target = Path(file)
        form: Any = target.suffix.removeprefix(".").lower()
        if form not in export.MEDIA_TYPES:
            raise ValueError(f"cannot write {target.name}: use {', '.join(export.MEDIA_TYPES)}")
        if series is not None:
            if form not in ("csv", "nc"):
                raise ValueError(f"cannot write a series to {target.name}: use csv, nc")
            shown = (self.pins, self.index, self.view)
            data = pinned.written(self._session, self._selected_array(), series, *shown, form)
            target.write_bytes(data)
            return target
        if columns := tables.shown(self._session, self.node, self.view, whole=whole):
            target.write_bytes(columns.file(form))
            return target
        given = self._session, self._selected_array(), form, self.index, self.view
        look, data = export.slice_file(*given, whole=whole, packed=packed)
        if form not in ("png", "svg") and (left_out := export.thinned(look)):
            warnings.warn(
                f"{target.name} has {left_out} elements; whole=True writes all", stacklevel=2
            )
        target.write_bytes(data)
        return target

    def code(self, using: Literal["zarr", "xarray", "nz_explorer"] = "zarr") -> str:
        """Return Python that reproduces the view, by default without this package.

        Parameters
        ----------
        using : {"zarr", "xarray", "nz_explorer"}
            What the code uses; this package too where the other refuses the store.

        Returns
        -------
        str
            A program. It binds ``values``, a masked array that equals `values`, and draws it.
        """
        node = self.node
        if columns := tables.shown(self._session, node, self.view):
            return tables.code(columns).using(using)
        look = self._look(thin=False) if isinstance(node, Array) else None
        found = code(self.hierarchy, node, self.index, self.view, look, self._session.budget)
        return found.using(using)

    def compare(self, other: Any, **options: Any) -> Comparison:
        """Compare the hierarchy, as it is stored, with another, and show how they differ.

        Parameters
        ----------
        other
            What `explore` takes, or another explorer.
        **options
            See `nz_explorer.compare`.

        Returns
        -------
        Comparison
            It prints as a list of differences.
        """
        from nz_explorer.report.store_diff import compare

        self._session.wait()
        if isinstance(other, Explorer):
            other.wait()
            other = other.report
        generation = self.hierarchy.generation
        found = compare(self.report, other, **options)
        self._session.keep_comparison(generation, found)
        self._session.page_changed("comparison")
        self.panel = "comparison"
        return found

    # --- how it is shown --------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Explorer {self._source} {self.path}>"
