"""Why xarray refuses a group, as its metadata tell."""

from __future__ import annotations

from collections.abc import Iterable

from nz_explorer.model import Array, Group, Node


def refusal(nodes: Iterable[Node]) -> str | None:
    """Return why xarray (up to 2026.9) would refuse a group, None where its metadata tell no reason.

    Parameters
    ----------
    nodes : iterable of Node
        The nodes in the group.
    """
    lengths: dict[str, tuple[int, str]] = {}
    for node in nodes:
        if not isinstance(node, Array):
            if not isinstance(node, Group):
                return node.unreadable()
            continue
        names, fill = node.dimension_names, node.fill
        if node.ndim and (names is None or None in names):
            what = "dimension_names" if node.zarr_format == 3 else "_ARRAY_DIMENSIONS"
            return f"{node.name} has no {what}"
        base64 = fill is None or node.zarr_format != 3 or fill.dialect == "base64"
        if not base64 and node.data_type.kind in ("float", "complex"):
            return (
                f"it cannot decode the _FillValue of {node.name}, which is not in its base64 form"
            )
        for name, length in zip(names or (), node.shape or (), strict=False):
            other, whose = lengths.setdefault(str(name), (length, node.name))
            if other != length:
                return f"{name} is {other} long in {whose} and {length} in {node.name}"
    return None
