"""Axes of cs, which are called like the dimensions of their array, and are renamed with them."""

from __future__ import annotations

from nz_explorer.documents.pointers import join
from nz_explorer.engine.fixes import Operation, move, replace
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import coordinate_system


def rename_axis(array: Array, number: int, name: str) -> tuple[Operation, ...]:
    """Return the operation by which the axis of a dimension gets another name, none where there is no such axis.

    One that a group keeps for several arrays stays as it is, and so does one of a name that several dimensions have.

    Parameters
    ----------
    array : Array
        The array.
    number : int
        Number of the dimension, whose name is the one that it had.
    name : str
        Its new name.
    """
    system, names = coordinate_system(array), array.dimension_names or ()
    if system is None or names.count(names[number]) > 1:
        return ()
    axis = system.dimensions[number]
    if axis is None or axis.home is not array or name in (one.name for one in system.axes):
        return ()
    if isinstance(axis.place[-1], str):
        return (move(axis.pointer(), join(axis.pointer().rpartition("/")[0], name)),)
    return (replace(axis.pointer("name"), name),)


def keeper_of_axis(array: Array, number: int) -> Node | None:
    """Return the node that keeps the axis of a dimension for several arrays; None where it is the array's own, or there is none.

    Parameters
    ----------
    array : Array
        The array.
    number : int
        Number of the dimension.
    """
    system = coordinate_system(array)
    axis = system.dimensions[number] if system is not None and system.dimensions else None
    return None if axis is None or axis.home is array else axis.home
