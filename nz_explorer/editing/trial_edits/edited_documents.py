"""The documents with the edits that were tried, as an overlay of the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nz_explorer.documents import pointers
from nz_explorer.documents.decoding import decode
from nz_explorer.documents.json_edit import JsonText, Operation
from nz_explorer.documents.json_layout import Verbatim, new_text
from nz_explorer.documents.json_pieces import PatchError
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.fixes import Change
from nz_explorer.model import Consolidated, Node
from nz_explorer.model.hierarchy import NCZARR_NAMES, ROOT_NAMES
from nz_explorer.store import ReadError
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.reader import check_key
from nz_explorer.store.writing import Edit

DOCUMENTS = frozenset((*ROOT_NAMES, *NCZARR_NAMES))


class Absent:
    """The type of `ABSENT`."""


ABSENT = Absent()
"""What stands for a document, or a member, that is not there."""

Before = dict[str, bytes | Absent | None]
"""What an edit has changed: for each key what the overlay had before it, if anything."""


class CannotEdit(ValueError):
    """An edit that cannot be made; the message gives the reason."""


def check_document(key: str) -> None:
    """Refuse a key that is not one of a metadata document.

    Raises
    ------
    CannotEdit
        If it is not.
    """
    if key.rsplit("/", 1)[-1] not in DOCUMENTS:
        raise CannotEdit(f"{key} is no metadata document ({', '.join(sorted(DOCUMENTS))})")
    try:
        check_key(key)
    except ReadError as error:
        raise CannotEdit(f"{key}: {error.detail}") from error


class EditedDocuments:
    """The documents of a hierarchy with edits, and as they were when they were read.

    Parameters
    ----------
    evaluation : Evaluation
        A fork of the evaluation of the hierarchy, which reads through the overlay.
    overlay : OverlayReader
        Takes the edits.
    """

    def __init__(self, evaluation: Evaluation, overlay: OverlayReader) -> None:
        self._evaluation = evaluation
        self.overlay = overlay
        self.originals: dict[str, bytes | None] = {}
        """The documents as they were when they were read, of all keys that were edited."""
        self._texts: dict[str, JsonText] = {}

    @property
    def edits(self) -> list[Edit]:
        """The documents that are different now, before and after."""
        return [
            Edit(key, self.originals[key], data)
            for key, data in sorted(self.overlay.overridden.items())
            if data != self.originals[key]
        ]

    def override(self, documents: Mapping[str, bytes | None], keep: Iterable[str]) -> Before:
        """Give documents other bytes, and return what the overlay had of them before, if anything.

        Parameters
        ----------
        documents : mapping of str to bytes or None
            By key; None removes a document.
        keep : iterable of str
            Keys of those that `patched` has made.

        Raises
        ------
        CannotEdit
            If a key could lead out of the store, or the document could not be read.
        """
        for key in documents:
            check_document(key)
        overridden = self.overlay.overridden
        before: Before = {}
        for key in documents:
            self.original(key)
            before[key] = overridden.get(key, ABSENT)
        for key in set(self._texts) & set(documents) - set(keep):
            del self._texts[key]
        for key, data in documents.items():
            self.overlay.override(key, data)
        return before

    def restore(self, before: Before) -> None:
        """Undo what `override` has done."""
        for key, data in before.items():
            self._texts.pop(key, None)
            if isinstance(data, Absent):
                self.overlay.restore(key)
            else:
                self.overlay.override(key, data)

    def patched(self, changes: Sequence[Change]) -> dict[str, bytes]:
        """Return documents with patches applied, by key.

        Raises
        ------
        CannotEdit
            If one of the patches does not fit.
        """
        texts: dict[str, str] = {}
        try:
            for change in changes:
                texts[change.document] = self._patched(change, texts)
        except PatchError as error:
            self._texts.clear()  # of which one may be patched in part
            raise CannotEdit(str(error)) from error
        return {key: text.encode() for key, text in texts.items()}

    def _patched(self, change: Change, texts: dict[str, str]) -> str:
        key = change.document
        known = self._texts.get(key)
        if known is None:
            raw = texts[key].encode() if key in texts else self.current(key)
            if raw is None:
                return self._created(change)
            known = self._texts[key] = JsonText.of(raw, key)
        if not change.patch:  # as the document is, but written anew
            known.write_out()
        known.apply([self._verbatim(operation, key, texts) for operation in change.patch])
        return known.text

    def _created(self, change: Change) -> str:
        """Return the text of a document that its patch creates."""
        first, *others = change.patch or ({},)
        if first.get("op") != "add" or first.get("path") != "":
            raise PatchError(f"there is no document {change.document}")
        root = self._evaluation.hierarchy.root.main_document
        document = JsonText(new_text(first["value"], root.text if root is not None else None))
        document.apply(others)
        return document.text

    def _verbatim(self, operation: Operation, key: str, texts: dict[str, str]) -> Operation:
        """Spell a whole consolidated entry as the document that it copies is spelled."""
        place = _entry(self._evaluation.hierarchy.consolidated, key, operation)
        if place is None:
            return operation
        try:
            raw = texts[place].encode() if place in texts else self.current(place)
            if raw is None:
                return operation
            document = JsonText.of(raw, place)
            if document.token("/consolidated_metadata") is not None:
                document.apply([{"op": "remove", "path": "/consolidated_metadata"}])
        except (PatchError, ReadError):
            return operation
        value, problems = decode(document.text.encode())
        if problems or _canonical(value) != _canonical(operation["value"]):
            return operation
        return {**operation, "value": Verbatim(document.text.strip())}

    def current(self, key: str) -> bytes | None:
        """Return the bytes of a document with the edits so far."""
        overridden = self.overlay.overridden
        if key in overridden:
            return overridden[key]
        return self.original(key)

    def original(self, key: str) -> bytes | None:
        """Return the bytes of a document as they were read, so that later changes are noticed.

        Raises
        ------
        CannotEdit
            If it could not be read.
        """
        if key not in self.originals:
            path = path_of(key)
            docs = self._evaluation.hierarchy.stored
            node = docs.root if path == "/" else docs.node_if_loaded(path)
            found = next((d for d in (node.documents if node else ()) if d.key == key), None)
            if found is None:
                self.originals[key] = self.overlay.base.get(key)
            elif found.error is not None:
                raise CannotEdit(f"{key} could not be read: {found.error.detail}")
            else:
                self.originals[key] = found.raw
        return self.originals[key]


def check_path(path: object) -> str:
    """Return a path, and refuse what is none, where arguments were probably swapped.

    Parameters
    ----------
    path : object
        What was given for the path of a node.

    Returns
    -------
    str
        The same.

    Raises
    ------
    CannotEdit
        If it is no text, or a pointer.
    """
    if not isinstance(path, str):
        raise CannotEdit(f"a path is a text such as '/forecast/temp', got {path!r}")
    if path.split("/")[1:2] == ["attributes"]:
        raise CannotEdit(f"the path of the node comes first, then the pointer {path}")
    return path


def operation_to_set(node: Node, pointer: str, value: Any) -> dict[str, Any]:
    """Return the operation that sets a value, also where objects on the way are missing.

    Parameters
    ----------
    node : Node
        Whose document it is.
    pointer : str
        Where, as in reports.
    value
        A JSON value.

    Raises
    ------
    CannotEdit
        If the place is in no document, or the pointer is none.
    """
    if pointer and not pointer.startswith("/"):
        swapped = isinstance(value, str) and value.startswith("/")
        wanted = f"{value}, and the value comes after it" if swapped else f"/{pointer}"
        raise CannotEdit(f"a pointer begins with a slash: {wanted}")
    document, inner = node.locate(pointer)
    base = pointer[: len(pointer) - len(inner)]
    if node.zarr_format == 2 and (document is None or not base):
        name, slash, rest = pointer.removeprefix("/").partition("/")
        if name not in DOCUMENTS:
            raise CannotEdit(f"{pointer} does not begin with a document such as /.zattrs")
        document, base, inner = None, f"/{name}", slash + rest
    here: Any = document.value if document is not None and document.ok else ABSENT
    parts = pointers.split(inner)
    if here is ABSENT:
        return {"op": "add", "path": base, "value": _nested(parts, value)}
    for depth, part in enumerate(parts):
        exists = (
            part in here
            if isinstance(here, dict)
            else isinstance(here, list) and part.isdecimal() and int(part) < len(here)
        )
        if not exists:
            place = base + pointers.join("", *parts[: depth + 1])
            return {"op": "add", "path": place, "value": _nested(parts[depth + 1 :], value)}
        here = here[part] if isinstance(here, dict) else here[int(part)]
    return {"op": "replace", "path": base + inner, "value": value}


def path_of(key: str) -> str:
    """Return the path of the node that a document belongs to."""
    return f"/{key.rpartition('/')[0]}"


def _nested(parts: Sequence[str], value: Any) -> Any:
    for part in reversed(parts):
        value = [value] if part == "-" else {part: value}
    return value


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _entry(consolidated: Consolidated | None, key: str, operation: Operation) -> str | None:
    """Return the key of the document of which an operation puts the consolidated copy, if it does that."""
    if consolidated is None or consolidated.holder.key != key or "value" not in operation:
        return None
    base, path = f"{consolidated.base}/", operation.get("path", "")
    if not path.startswith(base) or "/" in path[len(base) :]:
        return None
    name = pointers.split(path)[-1].strip("/")
    return f"{name}/zarr.json" if consolidated.zarr_format == 3 else name
