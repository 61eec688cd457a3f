"""The journal of a bundle: its name, its permitted contents, and messages about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from nz_explorer.store.errors import ReadError
from nz_explorer.store.reader import check_key
from nz_explorer.store.writing.writer import Edit, WriteError

JOURNAL = ".nz-explorer-journal"
STAGING = f"{JOURNAL}.staging"
DONE = f"{JOURNAL}.done"
MANIFEST = "manifest.json"
SCHEMA = "nz-explorer/journal/1"
COMMAND = "nz-explorer fix --recover"
DOCUMENTS = frozenset(["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"])
"""Names of metadata documents; those of netCDF-C all begin with ``.ncz``."""


def checked(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits of a bundle that change something.

    Raises
    ------
    WriteError
        If one of them cannot be written by anybody.
    """
    for edit in edits:
        if why := why_no_document(edit.key):
            raise WriteError(f"{edit.key!r} is no key of a document: {why}; nothing was written")
        if edit.after is not None and not is_object(edit.after):
            raise WriteError(f"what is to be {edit.key} is no JSON object; nothing was written")
    if len({edit.key for edit in edits}) != len(edits):
        raise WriteError("a document is in the bundle twice; nothing was written")
    return [edit for edit in edits if edit.before != edit.after]


def why_no_document(key: object) -> str | None:
    """Return why something is not the key of a metadata document, None where it is."""
    if not isinstance(key, str):
        return "it is no text"
    try:
        check_key(key)
    except ReadError as error:
        return error.detail
    if key.split("/")[0].startswith(JOURNAL):
        return "it belongs to the journal"
    name = key.rpartition("/")[2]
    if name not in DOCUMENTS and not name.startswith(".ncz"):
        return "no metadata are called so"
    return None


def is_object(data: bytes) -> bool:
    """Return whether a document is a JSON object, as Python's decoder reads it."""
    try:
        # Integers may have any number of digits, which `int` refuses.
        return isinstance(json.loads(data.decode("utf-8-sig"), parse_int=len), dict)
    except (ValueError, RecursionError):
        return False


def may_have_been(data: bytes) -> bool:
    """Return whether a document may have been in a store: it may be broken, but begins like a JSON object."""
    try:
        text = data.decode("utf-8-sig").lstrip()
    except ValueError:
        return False
    return not text or text.startswith("{")


def changed_meanwhile(key: str) -> WriteError:
    """Return the refusal to write over a document that is another one by now."""
    return WriteError(
        f"{key} has been changed by someone else since it was read: the store is as it was, read it again"
    )


def foreign(key: str, where: str) -> WriteError:
    """Return the refusal to restore a document that someone has changed since it was interrupted.

    Parameters
    ----------
    key : str
        Of the document.
    where : str
        The journal.
    """
    return WriteError(
        f"an earlier fix was interrupted, and {key} has been changed by someone else since: nothing was touched;"
        f" the versions before and after are in {where}",
        "mixed",
    )


def strange(journal: object, why: str) -> WriteError:
    """Return the refusal of a journal that was not written here.

    Parameters
    ----------
    journal
        Where it is.
    why : str
        What no journal has.
    """
    return WriteError(
        f"{journal} is damaged, or no journal of nz-explorer ({why}): it was left alone, and nothing was written."
        " Remove it if the store is as you want it"
    )


def reason(error: BaseException) -> str:
    """Return why something failed, as part of a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return " ".join(str(error).split()) or type(error).__name__


def digest(data: bytes | None) -> str | None:
    """Return the SHA-256 of a document; None where there is none."""
    return None if data is None else hashlib.sha256(data).hexdigest()
