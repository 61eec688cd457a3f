"""Parts of values as zarr asks for them, as two numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarr.abc.store import ByteRequest


def bounds(wanted: ByteRequest | None) -> tuple[int, int | None]:
    """Return where a part begins, counted from the end where it is negative, and where it ends.

    Parameters
    ----------
    wanted : ByteRequest or None
        The part; None for the whole value.

    Returns
    -------
    tuple of int and (int or None)
        The first byte, and the byte behind the last one; None for the end of the value.

    Raises
    ------
    TypeError
        If it is no range of bytes that zarr defines.
    """
    from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest

    if wanted is None:
        return 0, None
    if isinstance(wanted, RangeByteRequest):
        return wanted.start, wanted.end
    if isinstance(wanted, OffsetByteRequest):
        return wanted.offset, None
    if isinstance(wanted, SuffixByteRequest):
        return (-wanted.suffix, None) if wanted.suffix else (0, 0)
    raise TypeError(f"{wanted!r} is not a range of bytes")
