"""Columns of categories, as anndata and pandas store them: codes beside the texts that they stand for."""

from __future__ import annotations

from nz_explorer.model import Array, Group
from nz_explorer.store import ReadError
from nz_explorer.values.cf_decoding import Flags
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import read_window

_MOST = 64
_MISSING = -1


def is_categorical(group: Group) -> bool:
    """Return whether a group is a column of categories, as its ``encoding-type`` says.

    Parameters
    ----------
    group
        Any group.
    """
    return group.attributes.get("encoding-type") == "categorical"


def missing_code(array: Array) -> int | None:
    """Return the code that stands for a missing value, None of what is no categorical column.

    Parameters
    ----------
    array
        Any array.
    """
    if array.name != "codes" or array.data_type.kind not in ("int", "uint"):
        return None
    group = array.hierarchy.get(array.parent or "/")
    return _MISSING if isinstance(group, Group) and is_categorical(group) else None


def categorical(array: Array, cache: ChunkCache | None = None) -> Flags | None:
    """Return what the codes of a categorical column stand for.

    Parameters
    ----------
    array
        ``codes``, in a group whose ``encoding-type`` is ``categorical``, beside the array ``categories``.
    cache
        Where decoded chunks are kept.

    Returns
    -------
    Flags or None
        With -1, which stands for a missing value; None of other arrays, and where there are more than 64 or they
        cannot be read.

    Notes
    -----
    Source: the on-disk format of anndata, "Categorical arrays".
    See https://anndata.readthedocs.io/en/stable/fileformat-prose.html.
    """
    if missing_code(array) is None:
        return None
    texts = array.hierarchy.get(f"{(array.parent or '').rstrip('/')}/categories")
    if not isinstance(texts, Array) or len(texts.shape or ()) != 1:
        return None
    count = (texts.shape or (0,))[0]
    if not 0 < count <= _MOST:
        return None
    try:
        window = read_window(texts, (0,), {}, (count,), cache=cache)
    except (ReadError, UnsupportedArray):
        return None
    if window.errors or not window.facts.complete:
        return None
    words = tuple(map(str, window.values.tolist()))
    return Flags((*words, "missing"), (*range(count), _MISSING), None)
