"""The explorer: the widget in the notebook, and the same selection in Python."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anywidget
import traitlets

from nz_explorer.model import Array, Group, Hierarchy, Node, open_store
from nz_explorer.model.printable import encodable
from nz_explorer.rules.engine import Evaluation
from nz_explorer.rules.report import Report
from nz_explorer.widget import exporting
from nz_explorer.widget.code import code
from nz_explorer.widget.session import ALL_POINTS, Session

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import xarray
    import zarr
    from matplotlib.figure import Figure

    from nz_explorer.quicklook import QuickLook
    from nz_explorer.rules.two_stores import Comparison
    from nz_explorer.rules.what_if import WhatIf

STATIC = Path(__file__).parent / "static"
PANELS = (
    "plot",
    "dimensions",
    "findings",
    "changes",
    "readers",
    "comparison",
    "report",
    "conventions",
    "metadata",
    "storage",
    "netcdf",
    "fill",
    "glossary",
    "code",
)
"""The tabs and, after each, its further views."""
SHARED = ("path", "index", "view", "bookmarks", "panel")
"""The traits that are shared with the browser."""
DEFAULT_BUDGET = 64 * 1024 * 1024
STATIC_PAGE_SECONDS = 1.5
"""How long displaying waits for the walk, so that the saved page can show its result."""


class Selection(traitlets.TraitType[Any, Any]):
    """What the picture shows: a trait to be observed and linked, worked out when somebody wants it."""

    def get(self, obj: Any, cls: Any = None) -> dict[str, int | slice]:
        """Return what is shown of the selected array; of a group, which has no dimensions, nothing."""
        shown: dict[str, int | slice] = obj.shown()
        return shown

    def set(self, obj: Any, value: Any) -> None:
        """Refuse: it follows from other traits."""
        raise traitlets.TraitError("selection follows path, index and view: set those")


class Explorer(anywidget.AnyWidget):
    """A hierarchy, explored in the notebook and from Python at once.

    Made by `explore`.

    Attributes
    ----------
    path : str
        Absolute path of the selected node; setting it moves the widget, clicking in the widget sets it.
    index : dict of str to int
        At which index each dimension is fixed in the picture; both ways too. A dimension without a name of
        its own is called ``dim_<axis>``.
    view : dict
        How the picture is drawn, and what it shows. Keys that are absent have their usual value:

        - ``mask``: what counts as missing: ``nz`` (``_FillValue``), ``storage`` (``fill_value``), ``raw``
          (nothing), or ``differences`` between the first two;
        - ``colormap``: a name of matplotlib; ``low``, ``high``: limits; ``log``: logarithmic or not;
        - ``cf``: whether scale, offset and valid range of CF are applied, as they are by default;
        - ``coordinates``: whether a map is drawn on its two-dimensional coordinates;
        - ``window``: part of dimensions, by name: ``[first, after the last]``;
        - ``kind``: ``line``, ``map``, ``image`` or ``histogram``;
        - ``part`` of complex numbers: ``real``, ``imaginary``, ``magnitude`` or ``phase``.
    selection : dict of str to int or slice
        What the picture shows, by dimension: an index, or a slice of evenly spaced points; empty for a group.
        ``ex.to_xarray().isel(ex.selection)`` is what is shown, as xarray has it. It can be observed, not set.
    bookmarks : list of str
        Paths to come back to; both ways too, and kept in the saved notebook.
    panel : str
        The tab in front: ``plot``, ``dimensions``, ``findings``, ``metadata``, ``netcdf`` or ``code``; or a
        further view of one: ``changes``, ``readers``, ``comparison``, ``report`` and ``conventions`` of the
        findings, ``storage`` of the metadata, ``fill`` and ``glossary`` of netCDF.
    """

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"

    path = traitlets.Unicode("/").tag(sync=True)
    index = traitlets.Dict(key_trait=traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict(key_trait=traitlets.Unicode()).tag(sync=True)
    bookmarks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    panel = traitlets.Enum(PANELS, default_value="plot").tag(sync=True)
    selection = Selection()

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        path: str = "/",
        budget: int = DEFAULT_BUDGET,
        **options: Any,
    ) -> None:
        self._session = Session(
            evaluation, self._send_message, budget=budget, set_traits=self._setter
        )
        self._told_selection: dict[str, int | slice] = {}
        super().__init__(path=path, **options)
        self.on_msg(self._receive)
        self._session.start()
        # The session's threads must end with the last reference to the widget, not only with close().
        self._finalizer = weakref.finalize(self, self._session.close)

    # --- the conversation -------------------------------------------------------------------

    def open(self) -> None:
        """Open the channel to the browser."""
        super().open()
        # ipykernel 7.4 hands what comes from a page to the subshell from which the kernel has last spoken:
        # one that may be gone with its page, or the main shell that is busy with a cell. A page knows better.
        if hasattr(self.comm, "_reply_subshell_for"):
            self.comm._reply_subshell_for = lambda _, asked: asked  # noqa: SLF001

    def _receive(self, _: Any, content: Any, __: Any) -> None:
        self._session.receive(content)

    @property
    def _send_message(self) -> Callable[[dict[str, Any], Sequence[bytes | memoryview]], None]:
        """Sends without keeping the widget alive."""
        reference = weakref.ref(self)

        def send(message: dict[str, Any], buffers: Sequence[bytes | memoryview]) -> None:
            widget = reference()
            if widget is not None and widget.comm is not None:
                widget.send(message, list(buffers))

        return send

    @property
    def _setter(self) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """Sets traits without keeping the widget alive."""
        reference = weakref.WeakMethod(self._set_shared)

        def set_traits(traits: Mapping[str, Any]) -> dict[str, Any]:
            method = reference()
            return method(traits) if method is not None else {}

        return set_traits

    def _set_shared(self, traits: Mapping[str, Any]) -> dict[str, Any]:
        for name in traits:
            if name not in SHARED:
                raise traitlets.TraitError(f"{name!r} is not the browser's to set")
        for name, value in traits.items():
            setattr(self, name, value)
        return {name: getattr(self, name) for name in traits}

    def close(self) -> None:
        """Close the widget and let go of its threads."""
        self._session.close()
        super().close()

    # --- the selection ----------------------------------------------------------------------

    @traitlets.validate("path")
    def _valid_path(self, proposal: Any) -> str:
        node = self._node(proposal["value"])
        return node.path

    @traitlets.observe(*SHARED)
    def _confirm(self, change: Any) -> None:
        # A page whose connection broke may have lost what it set, and not hear what others set.
        self._session.tell_traits({change["name"]: change["new"]})

    @traitlets.observe("bookmarks")
    def _keep_bookmarks(self, change: Any) -> None:
        self._session.bookmarks = tuple(change["new"])

    @traitlets.observe("path", "index", "view")
    def _tell_selection(self, _: Any) -> None:
        # Working it out may read chunks: not for nobody.
        if not self._trait_notifiers.get("selection", {}).get("change"):
            return
        before, self._told_selection = self._told_selection, self.selection
        if self._told_selection != before:
            self.notify_change(
                traitlets.Bunch(
                    name="selection",
                    old=before,
                    new=self._told_selection,
                    owner=self,
                    type="change",
                )
            )

    def shown(self) -> dict[str, int | slice]:
        """Return what the picture shows: what `selection` is."""
        return exporting.selection(self._look()) if isinstance(self.node, Array) else {}

    @traitlets.validate("index")
    def _valid_index(self, proposal: Any) -> dict[str, int]:
        index = {}
        for dimension, position in proposal["value"].items():
            if isinstance(position, bool) or not hasattr(position, "__index__"):
                raise traitlets.TraitError(
                    f"the index of {dimension!r} must be an integer, got {position!r}"
                )
            index[dimension] = position.__index__()
        return index

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
        node = self.node
        if not isinstance(node, Array):
            raise TypeError(f"{node.path} is no array; set ex.path to one")
        return node

    def to_xarray(self) -> xarray.DataArray | xarray.Dataset | xarray.DataTree:
        """Return the selection as xarray has it, masked and decoded.

        Returns
        -------
        DataArray, Dataset or DataTree
            For an array, a group without groups, a group with groups. Values are read when they are used.
        """
        from nz_explorer.values.to_xarray import to_xarray

        return to_xarray(self.node)

    def figure(self, **options: Any) -> Figure:
        """Return the picture of the selection as a matplotlib figure.

        Of a group its one-dimensional arrays are drawn together, those that most of them share a
        dimension with.

        Parameters
        ----------
        **options
            How it is drawn, instead of what `view` says: ``mask``, ``colormap``, ``low``, ``high``,
            ``log``, ``decoded`` (scale, offset and valid range of CF), ``curvilinear`` (on its
            two-dimensional coordinates), ``width`` and ``height`` in inches. Of a group: the last two,
            and the ``dimension`` that its arrays share.
        """
        from nz_explorer.quicklook import figure, lines_figure

        node = self.node
        if isinstance(node, Group):
            found = self._session.lines(node, options.pop("dimension", None))
            return lines_figure(found, **options)
        return figure(self._look(), **{**exporting.drawing(self.view), **options})

    def _look(self, *, everything: bool = False, **options: Any) -> QuickLook:
        looking = exporting.looking(self.view)
        array = self._selected_array()
        if everything:
            options |= {"width": ALL_POINTS, "height": ALL_POINTS, "everything": True}
        return self._session.quicklook(array, self.index, **{**looking, **options})

    def sel(
        self, choice: Mapping[str, Any] | None = None, *, exact: bool = False, **choices: Any
    ) -> Explorer:
        """Fix dimensions of the selected array by coordinate value.

        Parameters
        ----------
        choice, **choices
            By dimension: a number; a date, or a text such as ``2001-07-03`` (which also fits
            ``2001-07-03 06:00``); a name.
        exact : bool
            Whether the nearest value will not do.

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
        from nz_explorer.values.choosing import index_of

        array = self._selected_array()
        names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
        found = {}
        for name, value in {**(choice or {}), **choices}.items():
            if name not in names:
                known = ", ".join(names) or "none"
                raise KeyError(f"{array.path} has no dimension {name!r}; it has {known}")
            axis = names.index(name)
            found[name] = index_of(array, axis, value, exact=exact, cache=self._session.cache)
        self.index = {**self.index, **found}
        return self

    def values(self, *, whole: bool = False) -> np.ma.MaskedArray[Any, Any]:
        """Return the values that the picture shows.

        Parameters
        ----------
        whole : bool
            Every element of the slice, however many bytes that takes, instead of as many points
            as the picture has.

        Returns
        -------
        numpy.ma.MaskedArray
            As stored, or the part of complex numbers that `view` names. Masked where they equal
            ``_FillValue`` – or what the ``mask`` of `view` says: the storage ``fill_value``
            (``storage``), or nothing (``raw``) – and where there is nothing to show: chunks that
            are not in the store, unreadable, or were not read.
        """
        return exporting.masked_values(self._look(everything=whole), self.view)

    def export(self, file: str | PathLike[str], *, whole: bool = False) -> Path:
        """Write what is shown to a file: a picture, or its values.

        Parameters
        ----------
        file
            Its ending says what to write: png, svg, npy, csv or nc. A file of netCDF is masked by
            ``_FillValue``, whatever the view says, as every reader of it will be.
        whole : bool
            Write every element, however many bytes that takes. Otherwise elements are left out where
            there are more than 4096 along an axis or than the budget has room for, with a warning.

        Returns
        -------
        Path
            The file.
        """
        target = Path(file)
        form: Any = target.suffix.removeprefix(".").lower()
        if form not in exporting.MEDIA_TYPES:
            raise ValueError(f"cannot write {target.name}: use {', '.join(exporting.MEDIA_TYPES)}")
        look, data = self._session.export(
            self._selected_array(), form, self.index, self.view, whole=whole
        )
        if form not in ("png", "svg") and (left_out := exporting.thinned(look)):
            warnings.warn(
                f"{target.name} has {left_out} elements; whole=True writes all", stacklevel=2
            )
        target.write_bytes(data)
        return target

    def code(self, package: Literal["zarr", "xarray", "nz"] = "zarr") -> str:
        """Return Python that reproduces the view, by default without this package.

        Parameters
        ----------
        package : {"zarr", "xarray", "nz"}
            What the code uses.
        """
        return str(getattr(code(self.hierarchy, self.node, self.index), package))

    @property
    def what_if(self) -> WhatIf:
        """Edits and fixes to try on the metadata in memory; nothing is written.

        The widget shows what they make of the hierarchy. What was found by then is what it compares with, so
        wait for the walk to be over (`wait`).
        """
        return self._session.what_if

    @property
    def report(self) -> Report:
        """What the rules say; it grows while the walk goes on."""
        return Report(self._session.base)

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
        from nz_explorer.rules.two_stores import compare

        self._session.wait()
        if isinstance(other, Explorer):
            other.wait()
            other = other.report
        self._session.comparison = compare(self.report, other, **options)
        self._session.tell_page("comparison")
        self.panel = "comparison"
        return self._session.comparison

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything has been walked and evaluated.

        Parameters
        ----------
        seconds : float, optional
            How long to wait at most.

        Returns
        -------
        bool
            Whether it is done.
        """
        return self._session.wait(seconds)

    # --- how it is shown --------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Explorer {self.hierarchy.source} {self.path}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        if bundle is None:  # the front end does not show widgets
            return None
        from nz_explorer.widget.static_page import static_page

        self._session.wait(STATIC_PAGE_SECONDS)
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        data = {
            **data,
            "text/html": encodable(static_page(self._session, self.path)),
            "text/plain": repr(self),
        }
        return (data, *metadata) if metadata else data


def explore(
    source: Any,
    *,
    path: str = "/",
    conventions: str | Sequence[str] = "auto",
    mode: Literal["r", "r+"] = "r",
    storage_options: Mapping[str, Any] | None = None,
    budget: int | None = None,
) -> Explorer:
    """Open a Zarr hierarchy in the explorer.

    Parameters
    ----------
    source
        A path, zip file, URL, NCZarr URL, zarr store, group or array, fsspec mapping, Icechunk session, or an
        xarray object that was opened from Zarr.
    path : str
        The node to select first.
    conventions : str or sequence of str
        Conventions to check, by default those the store shows.
    mode : {"r", "r+"}
        ``r+`` allows fixes to be written, when asked for.
    storage_options : mapping, optional
        For remote sources, with the names of fsspec or of obstore.
    budget : int, optional
        Decoded bytes that one picture may take, 64 MiB by default.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    NodeNotFound
        If there is no node at `path`.
    """
    hierarchy = open_store(
        source, storage_options=dict(storage_options) if storage_options else None, mode=mode
    )
    return Explorer(
        Evaluation(hierarchy, conventions=conventions),
        path=path,
        budget=DEFAULT_BUDGET if budget is None else budget,
    )
