"""Columns of categories, as anndata and pandas store them: codes beside the texts that they stand for."""

from __future__ import annotations

from typing import Any

from nz_explorer.documents.json_types import is_one_of
from nz_explorer.model import Array, Group
from nz_explorer.store import ReadError
from nz_explorer.values.cf_decoding import Flags
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import read_window

_MOST = 64
_MISSING = -1
_NULLABLE = ("nullable-integer", "nullable-boolean", "nullable-string-array")


def is_data_frame(group: Group) -> bool:
    """Return whether a group is a table, as its ``encoding-type`` (anndata) or its ``colnames`` (HDMF, so NWB) say.

    Parameters
    ----------
    group
        Any group.
    """
    attributes = group.attributes
    return attributes.get("encoding-type") == "dataframe" or (
        "neurodata_type" in attributes and isinstance(attributes.get("colnames"), list)
    )


def first_columns(group: Group) -> list[Any]:
    """Return the names of the columns of a table in their order, as far as the table states it; the index is the first.

    Parameters
    ----------
    group
        A table; see `is_data_frame`.
    """
    index = group.attributes.get("_index", "id" if "colnames" in group.attributes else None)
    order = group.attributes.get("column-order", group.attributes.get("colnames"))
    return [index, *(order if isinstance(order, list) else ())]


def is_categorical(group: Group) -> bool:
    """Return whether a group is a column of categories, as its ``encoding-type`` says.

    Parameters
    ----------
    group
        Any group.
    """
    return group.attributes.get("encoding-type") == "categorical"


def is_nullable(group: Group) -> bool:
    """Return whether a group is a column of ``values`` with a ``mask`` of those that are missing.

    Parameters
    ----------
    group
        Any group.

    Notes
    -----
    Source: the on-disk format of anndata, "Nullable integers and booleans".
    """
    return is_one_of(group.attributes.get("encoding-type"), _NULLABLE)


def categories_of(array: Array) -> Array | None:
    """Return the texts that codes stand for; None of what is no categorical column.

    Parameters
    ----------
    array
        ``codes`` in a group of categories, or a column of anndata before 0.8, whose attribute ``categories`` names an
        array in the group ``__categories`` of the dataframe.
    """
    if array.data_type.kind not in ("int", "uint"):
        return None
    folder = (array.parent or "/").rstrip("/")
    named = array.attributes.get("categories")
    if isinstance(named, str) and named.startswith("__categories/"):
        found = array.hierarchy.get(f"{folder}/{named}")
    elif array.name != "codes":
        return None
    else:
        group = array.hierarchy.get(folder or "/")
        inside = isinstance(group, Group) and is_categorical(group)
        found = array.hierarchy.get(f"{folder}/categories") if inside else None
    return found if isinstance(found, Array) and len(found.shape or ()) == 1 else None


def missing_code(array: Array) -> int | None:
    """Return the code that stands for a missing value, None of what is no categorical column.

    Parameters
    ----------
    array
        Any array.
    """
    return None if categories_of(array) is None else _MISSING


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
    texts = categories_of(array)
    if texts is None:
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
