"""Python that reproduces a view with other packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nz_explorer.model import Array, Hierarchy, Node


@dataclass(frozen=True, slots=True)
class Code:
    """Python with zarr, with xarray, and with this package."""

    zarr: str
    xarray: str
    nz: str


def code(hierarchy: Hierarchy, node: Node, index: Mapping[str, int]) -> Code:
    """Return code that gets to a node and, for an array, to its slice with the mask.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    node : Node
        A group or an array.
    index : mapping of str to int
        What is fixed, by dimension.
    """
    return Code(
        zarr=_with_zarr(hierarchy, node, index),
        xarray=_with_xarray(hierarchy, node, index),
        nz=_with_nz(hierarchy, node, index),
    )


def source_text(hierarchy: Hierarchy) -> str:
    """Return an expression for the source."""
    reader = hierarchy.reader
    if reader.kind == "Icechunk" or reader.kind.startswith("zarr "):
        return "store  # the store you opened the explorer with"
    return repr(reader.label)


def _open_zarr(hierarchy: Hierarchy, path: str, kind: str) -> list[str]:
    reader = hierarchy.reader
    inside = "/".join(part for part in (reader.prefix, path.strip("/")) if part)
    at = f", path={inside!r}" if inside else ""
    if reader.kind == "zip file":
        return [
            f"store = zarr.storage.ZipStore({reader.label!r}, mode='r')",
            f"{kind} = zarr.open_{kind}(store{at}, mode='r')",
        ]
    return [f"{kind} = zarr.open_{kind}({source_text(hierarchy)}{at}, mode='r')"]


def _with_nz(hierarchy: Hierarchy, node: Node, index: Mapping[str, int]) -> str:
    lines = ["import nz_explorer as nz", ""]
    lines.append(f"ex = nz.explore({source_text(hierarchy)}, path={node.path!r})")
    if index and isinstance(node, Array):
        lines.append(f"ex.index = {dict(index)!r}")
    lines += ["ex", "", "# the selection in the hand:", "# ex.to_xarray(), ex.array, ex.figure()"]
    return "\n".join(lines)


def _selection(array: Array, index: Mapping[str, int]) -> list[str]:
    """Per axis ``:`` or an index: the last two axes are shown, the others fixed."""
    ndim = array.ndim or 0
    return [
        ":" if axis >= ndim - 2 else str(int(index.get(array.dimension_label(axis), 0)))
        for axis in range(ndim)
    ]


def _fill_lines(array: Array) -> list[str]:
    fill = array.fill
    if fill is None:
        return ["masked = np.ma.masked_array(values)  # no _FillValue: nothing is missing"]
    if fill.value is None:
        return [
            f"masked = np.ma.masked_array(values)  # _FillValue {fill.given!r} is no value of this type"
        ]
    kind = array.data_type.kind
    note = "  # _FillValue" if fill.dialect != "base64" else "  # _FillValue, from xarray's base64"
    if kind in ("float", "complex") and _is_nan(fill.value):
        return [f"masked = np.ma.masked_array(values, np.isnan(values)){note}"]
    if kind in ("string", "bytes"):
        return [f"masked = np.ma.masked_array(values, values == {fill.value!r}){note}"]
    shown = fill.value.item() if hasattr(fill.value, "item") else fill.value
    if kind == "struct":
        return [
            f"masked = np.ma.masked_array(values, values == np.array({shown!r}, values.dtype)){note}"
        ]
    return [
        f"masked = np.ma.masked_array(values, values == np.{array.data_type.name}({shown!r})){note}"
    ]


def _is_nan(value: Any) -> bool:
    return bool(value != value)  # noqa: PLR0124 - true of NaN alone, also of complex ones


def _with_zarr(hierarchy: Hierarchy, node: Node, index: Mapping[str, int]) -> str:
    if not isinstance(node, Array):
        return "\n".join(
            ["import zarr", "", *_open_zarr(hierarchy, node.path, "group"), "print(group.tree())"]
        )
    lines = ["import matplotlib.pyplot as plt", "import numpy as np", "import zarr", ""]
    lines += _open_zarr(hierarchy, node.path, "array")
    selection = _selection(node, index)
    lines.append(f"values = array[{', '.join(selection) or '...'}]")
    lines += _fill_lines(node)
    kind = node.data_type.kind
    drawn = "np.abs(masked)" if kind == "complex" else "masked"
    if node.ndim == 0 or kind in ("string", "bytes", "raw", "struct"):
        lines.append("print(masked)")
    elif node.ndim == 1:
        lines.append(f"plt.plot({drawn})")
    else:
        lines += [f"plt.pcolormesh({drawn})", "plt.colorbar()"]
    return "\n".join(lines)


def _with_xarray(hierarchy: Hierarchy, node: Node, index: Mapping[str, int]) -> str:
    array = node if isinstance(node, Array) else None
    group = (node.parent or "/") if array is not None else node.path
    lines = ["import xarray as xr", ""]
    source = source_text(hierarchy)
    inside = "/".join(part for part in (hierarchy.reader.prefix, group.strip("/")) if part)
    options = [f"group={inside!r}"] if inside else []
    if hierarchy.reader.kind == "zip file":
        lines = ["import xarray as xr", "import zarr", ""]
        source = f"zarr.storage.ZipStore({hierarchy.reader.label!r}, mode='r')"
    options.append(f"consolidated={hierarchy.metadata_source == 'consolidated'}")
    opened = f"xr.open_zarr({', '.join([source.split('  #')[0], *options])})"
    refused = refusal(node)
    if refused:
        lines.append(f"# xarray refuses this group: {refused}.")
        lines.append("# nz_explorer's ex.to_xarray() gives the same Dataset, masked.")
    lines.append(f"ds = {opened}")
    if array is not None:
        fixed = {
            array.dimension_label(axis): int(index.get(array.dimension_label(axis), 0))
            for axis in range(max(0, (array.ndim or 0) - 2))
        }
        at = f".isel({fixed!r})" if fixed else ""
        lines.append(f"da = ds[{array.name!r}]{at}")
        lines.append("da.plot()" if array.ndim else "print(da)")
    else:
        lines.append("print(ds)")
    return "\n".join(lines)


def refusal(node: Node) -> str | None:
    """Say why xarray (up to 2026.9) would refuse the group of a node, None where it would not."""
    path = (node.parent or "/") if isinstance(node, Array) else node.path
    for array in node.hierarchy.children(path):
        if not isinstance(array, Array):
            continue
        if array.dimension_names is None and array.ndim:
            names = "dimension_names" if array.zarr_format == 3 else "_ARRAY_DIMENSIONS"
            return f"{array.name} has no {names}"
        fill = array.fill
        if (
            array.zarr_format == 3
            and fill is not None
            and array.data_type.kind in ("float", "complex")
            and fill.dialect != "base64"
        ):
            return (
                f"it cannot decode the _FillValue of {array.name}, which is not in its base64 form"
            )
    return None
