"""How programs name what was explored, and open what is in another store."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.model import Hierarchy
from nz_explorer.text.source_code import literal, noted


def given_as(hierarchy: Hierarchy) -> str:
    """Return what was explored as a Python expression: a name where it is an object, which no text can spell."""
    kind = hierarchy.reader.kind
    if kind.startswith("xarray "):
        return "ds"
    is_store = kind in ("Icechunk", "references in memory") or kind.startswith("zarr ")
    return "store" if is_store else literal(hierarchy.reader.label)


def compared_with(hierarchy: Hierarchy) -> tuple[str, str]:
    """Return the other of two stores as a Python expression, and a note on it where it is an object."""
    given = given_as(hierarchy)
    is_object = given in ("ds", "store")
    return (f"other_{given}", "what you compared it with") if is_object else (given, "")


def opened_elsewhere(hierarchy: Hierarchy, path: str) -> Iterator[str]:
    """Yield lines that bind ``array`` to an array of another store, by this package.

    Parameters
    ----------
    hierarchy : Hierarchy
        The other store.
    path : str
        Of the array.
    """
    yield "import nz_explorer as nz"
    yield "from nz_explorer.values import open_array"
    given, note = compared_with(hierarchy)
    opened = f"array = open_array(nz.open_store({given})[{literal(path)}])"
    yield noted(opened, note)
