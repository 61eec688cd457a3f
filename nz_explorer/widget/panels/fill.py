"""The fill lab: one array interpreted in four ways, and why they differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.conventions import rules
from nz_explorer.model import Array, Group
from nz_explorer.model.fill_values import value_text
from nz_explorer.plots.cell_grid import cells
from nz_explorer.store import ReadError
from nz_explorer.values import UnsupportedArray
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.masks.fill_interpretations import (
    FillInterpretation,
    FillInterpretations,
    readings,
)
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import Context, page

POINTS = (36, 48)
"""The most cells of a picture, down and across."""
EXAMPLES = 8
TITLES = {
    "stored": "As stored",
    "nz": "As NZ masks it",
    "storage": "By fill_value",
    "xarray": "As xarray reads it",
}
MEANING = {
    "stored": "Nothing is masked.",
    "nz": "Missing is what equals _FillValue.",
    "storage": "Missing would be what equals the storage fill_value.",
    "xarray": "Missing is what xarray shows as NaN or NaT.",
}


@page("fill")
def fill_lab(context: Context) -> Blocks:
    """Show the same cells as they are stored, to NZ, by the storage fill value, and to xarray."""
    node = context.node
    if not isinstance(node, Array):
        return _arrays(context, node if isinstance(node, Group) else None)
    try:
        found = readings(
            node, _shown(context, node), POINTS, cache=context.session.cache, cancel=context.cancel
        )
    except (UnsupportedArray, ReadError) as error:
        return [blocks.paragraph(str(error), "error")]
    return [
        blocks.paragraph(_what(node, found)),
        blocks.columns(*(_reading(context, node, found, one) for one in found.all)),
        blocks.listing([*_why(node, found), _why_xarray(context, node, found)], "Why they differ"),
        *_examples(node, found),
    ]


def _shown(context: Context, array: Array) -> dict[str, int]:
    """Return at which index the picture is; where nobody has moved it, it begins where there is something to see."""
    rows, columns = POINTS
    look = context.session.quicklook(
        array, context.index, width=columns, height=rows, cancel=context.cancel
    )
    return {slider.dimension: slider.index for slider in look.sliders} | context.index


def _arrays(context: Context, group: Group | None) -> Blocks:
    arrays = [] if group is None else group.hierarchy.children(group, context.cancel)
    rows = [
        blocks.row(
            blocks.link(array.path, array.name, panel="fill"),
            "none" if array.nz_fill is None else blocks.code(array.nz_fill.text),
            "none" if array.storage_fill is None else blocks.code(array.storage_fill.text),
        )
        for array in arrays
        if isinstance(array, Array)
    ]
    rows.sort(key=lambda row: row.cells[1] == ["none"])
    if not rows:
        return [blocks.paragraph(blocks.quiet("Choose an array: the lab reads its values."))]
    return [
        blocks.paragraph("Choose an array to see its cells interpreted in four ways."),
        blocks.table("Fill values", ["Array", "_FillValue", "Storage fill_value"], rows),
    ]


def _what(array: Array, found: FillInterpretations) -> protocol.Text:
    window = found.window
    shown = [
        f"{array.dimension_label(points.axis)} {points.low} to {points.end - 1}"
        + (f", one in {points.step}" if points.step > 1 else "")
        for points in window.axes
    ]
    fixed = [f"{array.dimension_label(axis)} = {at}" for axis, at in window.index.items()]
    total = window.values.size
    cells_of = "1 cell" if total == 1 else f"{text.number(total)} cells"
    return [
        f"The same {cells_of} of ",
        blocks.strong(array.name or array.path),
        f" in four interpretations ({'; '.join([*fixed, *shown])})" if fixed or shown else "",
        ". Striped cells are missing; crossed ones are missing here and not to NZ, or the other way round.",
    ]


def _reading(
    context: Context, array: Array, found: FillInterpretations, one: FillInterpretation
) -> Blocks:
    parts: Blocks = [blocks.heading(TITLES[one.reader])]
    if one.values is None:
        failed = f"Cannot be read this way: {one.problem}"
        # it opens all arrays of the group, or none
        if one.reader == "xarray" and array.parent is not None:
            findings = blocks.link(array.parent, "Findings of the group", panel="findings")
            return [*parts, blocks.paragraph([f"{failed} (", findings, ")"], "warning")]
        return [*parts, blocks.paragraph(failed, "warning")]
    count, other = int(one.missing.sum()), int(found.differs(one).sum())
    said = f"{text.number(count)} of {text.number(one.missing.size)} missing"
    if other:
        said += f", {text.number(other)} otherwise than to NZ"
    if found.window.axes and one.values.dtype.kind in "biuf":
        image = cells(
            one.values,
            one.missing,
            found.differs(one),
            _limits(one.values, found),
            upwards=_grows_upwards(context, array, found),
        )
        parts.append(blocks.png(image, f"{TITLES[one.reader]}: {said}"))
    else:
        parts.append(blocks.paragraph(said))
    return [*parts, blocks.paragraph(blocks.quiet(MEANING[one.reader]))]


def _limits(values: np.ndarray[Any, Any], found: FillInterpretations) -> tuple[float, float]:
    """Return the ends of the colours: a mark that only xarray masks would leave one colour to all the others."""
    for missing in (found.nz.missing | found.xarray.missing, found.nz.missing):
        good = values[~missing & np.isfinite(values)]
        if good.size:
            return float(good.min()), float(good.max())
    return 0.0, 1.0


def _grows_upwards(context: Context, array: Array, found: FillInterpretations) -> bool:
    """Whether the coordinate down the picture rises, as latitude often does."""
    if len(found.window.axes) < 2:
        return False
    coordinate, _ = find_coordinate(array, found.window.axes[0].axis)
    if coordinate is None:
        return False
    order = context.session.evaluation.monotonicity(coordinate.path)
    return order is not None and order.result == "increasing"


def _why(array: Array, found: FillInterpretations) -> list[protocol.Text]:
    """Say in sentences where the readings come from and why they differ."""
    fill, storage = array.nz_fill, array.storage_fill
    source = blocks.quiet(f" ({rules()['NZ-FILL-002'].source})")
    said: list[protocol.Text] = []
    if fill is None:
        said.append(
            ["There is no ", blocks.code("_FillValue"), ": to NZ no cell is missing.", source]
        )
    elif not fill.usable:
        said.append(
            [
                blocks.code(f"_FillValue {fill.text}"),
                f" is no value of {array.data_type.text}: it matches nothing.",
                source,
            ]
        )
    else:
        said.append(
            [
                "To NZ a cell is missing if it equals ",
                blocks.code(f"_FillValue {fill.text}"),
                ".",
                source,
            ]
        )
    if storage is not None:
        said.append(
            [
                blocks.code(f"fill_value {storage.text}"),
                " is what chunks read as that were never written. Taken for the mask ",
                _mistakes(found),
                ".",
            ]
        )
    if array.missing_values:
        marks = ", ".join(one.text for one in array.missing_values)
        said.append(
            [
                blocks.code(f"missing_value {marks}"),
                " is CF's mark, which xarray masks too; NZ knows ",
                blocks.code("_FillValue"),
                " alone. The picture and ex.values() mask both.",
            ]
        )
    if array.fill_source == "fill_value":
        said.append(["The picture and ex.values() mask as xarray does here, and say so."])
    return said


def _mistakes(found: FillInterpretations) -> str:
    """Say what goes wrong where the storage fill value is taken for the mask."""
    nz, storage = found.nz.missing, found.storage.missing
    shown, hidden = int((nz & ~storage).sum()), int((storage & ~nz).sum())
    mistakes = [
        f"it shows {text.number(shown)} missing as values" if shown else "",
        f"it hides {text.number(hidden)} that are none" if hidden else "",
    ]
    return " and ".join(filter(None, mistakes)) or "it makes no difference in these cells"


def _why_xarray(context: Context, array: Array, found: FillInterpretations) -> protocol.Text:
    one = found.xarray
    if one.problem:
        return [f"xarray cannot read it: {one.problem}. ", *_culprits(context, array)]
    text: protocol.Text = []
    if context.session.shows_edits:
        text.append("xarray reads what is stored, without the edits. ")
    if array.zarr_format == 2:
        text.append("In Zarr v2 xarray takes fill_value for the _FillValue. ")
    if found.window.values.dtype.kind in "fc":
        text.append(
            "xarray marks missing values with NaN, so a NaN that was stored is missing to it, too. "
        )
    packed = [key for key in ("scale_factor", "add_offset") if key in array.attributes]
    if packed:
        text.append(f"xarray unpacks: its values are those after {' and '.join(packed)}. ")
    if not found.differs(one).any():
        text.append("In these cells xarray finds missing what NZ finds missing.")
    return text or ["xarray masks other cells than NZ here."]


def _culprits(context: Context, array: Array) -> protocol.Text:
    """Name the arrays beside one that are known to keep xarray from opening their group."""
    rule = rules()["NZ-FILL-006"]
    paths = context.session.evaluation.failing(lambda violation: violation.rule.id == rule.id)
    group = array.parent or "/"
    beside = sorted(path for path in paths if (path.rpartition("/")[0] or "/") == group)
    if not beside:
        return []
    return [
        "It opens a group whole or not at all, and here it fails on the _FillValue of ",
        *blocks.links(beside, short=True),
        ". ",
        rule.statement,
        blocks.quiet(f" ({rule.id})"),
    ]


def _examples(array: Array, found: FillInterpretations) -> Blocks:
    """List cells under all readings, those first on which they do not agree."""
    rank = np.zeros(found.window.values.shape, int)
    for weight, one in enumerate((found.stored, found.storage, found.xarray)):
        rank += found.differs(one).astype(int) << weight
    chosen: list[tuple[int, ...]] = []
    kinds = sorted(set(rank.reshape(-1).tolist()), reverse=True)
    for kind in kinds:  # some cells of each kind of disagreement
        places = np.argwhere(rank == kind)
        share = max(2, EXAMPLES // len(kinds))
        chosen += [
            tuple(place.tolist()) for place in places[:: max(1, len(places) // share)][:share]
        ]
    rows = []
    for place in chosen:
        cell = [
            f"{array.dimension_label(points.axis)} {points.start + points.step * at}"
            for points, at in zip(found.window.axes, place, strict=True)
        ]
        rows.append(
            blocks.row(
                ", ".join(cell) or "the value",
                *(_cell(found, one, place) for one in found.all),
            )
        )
    if not rows:
        return []
    columns = ["Cell", *(TITLES[one.reader] for one in found.all)]
    return [blocks.heading("Some of these cells"), blocks.table("Cells", columns, rows)]


def _cell(
    found: FillInterpretations, one: FillInterpretation, place: tuple[int, ...]
) -> protocol.Text:
    if one.values is None:
        return [blocks.quiet("not read")]
    mark: protocol.Text = (
        [" ", blocks.chip("✕", "warning", "otherwise than NZ")] if found.differs(one)[place] else []
    )
    if one.missing[place]:
        return [blocks.quiet("missing"), *mark]
    is_time = one.values.dtype.kind in "mM"
    text = str(one.values[place]) if is_time else value_text(one.values[place])
    return [blocks.code(text), *mark]
