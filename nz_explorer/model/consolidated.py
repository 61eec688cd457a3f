"""Consolidated metadata: the documents of many nodes, kept in one."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal

import msgspec

from nz_explorer.documents import pointers
from nz_explorer.documents.decoding import Entries
from nz_explorer.documents.document import Document
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.fill_values.spelling import a_kind
from nz_explorer.model.paths import above, all_above, below
from nz_explorer.store import ReadError
from nz_explorer.store.cancellation import check_cancelled
from nz_explorer.store.reader import check_key, is_safe

V2_NAMES = (".zarray", ".zgroup", ".zattrs")
_INDEX = ("_keys", "_children", "rejected")
MAX_DEPTH = 256
"""Levels of groups; what lies deeper is not read, also where it is stored."""
MAX_GROUP_PATHS = 256 * 2**20
"""Characters of the paths of all groups: a key with 256 levels names as many, of which each may be almost as long."""


class _Node(msgspec.Struct, gc=False):
    """As much of a node's metadata as it takes to be one."""

    node_type: Literal["array", "group"]


LOOKED_AT_AT_ONCE = 1000
"""Entries that are looked at before it is asked whether someone has cancelled."""
_AS_NODE = msgspec.json.Decoder(_Node)
_AS_NODES = msgspec.json.Decoder(list[_Node])


class Consolidated:
    """An index of the entries of a consolidated document, by node.

    Parameters
    ----------
    holder : Document
        The root's ``zarr.json``, or ``.zmetadata``.
    zarr_format : int
        2 or 3.
    entries : mapping
        The entries as the document has them: key to metadata.
    like : Consolidated, optional
        An earlier version of the same document, whose index is taken over where the keys are the same.

    Attributes
    ----------
    rejected : dict of str to str
        Keys of entries that can belong to no node, and why.
    """

    def __init__(
        self,
        holder: Document,
        zarr_format: Literal[2, 3],
        entries: Mapping[str, Any],
        like: Consolidated | None = None,
    ) -> None:
        self.holder = holder
        self.zarr_format = zarr_format
        self.rejected: dict[str, str] = {}
        self._entries = entries
        self._keys: dict[str, str | dict[str, str]] = {}
        """Path → key of the entry; in v2 → document name → key of the entry."""
        self._group_paths = 0
        self._children: dict[str, dict[str, None]] = {}
        if (
            like is not None
            and like.zarr_format == zarr_format
            and list(like._entries) == list(entries)  # noqa: SLF001
        ):
            vars(self).update({k: v for k, v in vars(like).items() if k in _INDEX})
            return
        # Most documents have plain keys alone, which is seen at one look at all of them.
        if zarr_format == 3 and is_safe("/".join(entries)):
            self._add_plain(entries)
        else:
            for key in entries:
                self._add(key)

    def _add_plain(self, entries: Iterable[str]) -> None:
        """Add entries of v3 whose keys need no look; most are in the group of the one before."""
        paths, children = self._keys, self._children
        group, names = "", children.get("/")
        for key in entries:
            above, _, name = key.rpartition("/")
            if above != group or names is None:
                group, names = above, children.get(f"/{above}")
            if names is None:
                self._add(key)
            else:
                paths[f"/{key}"] = key
                names[name] = None

    def _add(self, key: str) -> None:
        path, name = self._split(key)
        trimmed = path.strip("/")
        if self.zarr_format == 2 and name not in V2_NAMES:
            self.rejected[key] = "it names no metadata document"
            return
        if trimmed:
            try:
                check_key(trimmed)
            except ReadError as error:
                self.rejected[key] = error.detail
                return
        path = f"/{trimmed}"
        depth = path.count("/")
        if depth > MAX_DEPTH:
            self.rejected[key] = f"nodes more than {MAX_DEPTH} levels deep are not read"
            return
        room = MAX_GROUP_PATHS - self._group_paths
        if (depth - 1) * len(path) > room and above(path) not in self._children:
            self.rejected[key] = "the paths of all groups together are too long"
            return
        if self.zarr_format == 3:
            self._keys[path] = key
        else:
            documents = self._keys.setdefault(path, {})
            documents[name] = key  # type: ignore[index]
        while path != "/":
            group, _, name = path.rpartition("/")
            names = self._children.get(group or "/")
            if names is None:
                names = self._children[group or "/"] = {}
                self._group_paths += len(group)
            elif name in names:
                return
            names[name] = None
            path = group or "/"

    def _keys_of(self, path: str) -> dict[str, str]:
        """Return the keys of a node's entries, by the names of the documents that they stand for."""
        found = self._keys.get(path, {})
        return {"zarr.json": found} if isinstance(found, str) else found

    def _split(self, key: str) -> tuple[str, str]:
        """Return path and name of the document that a key speaks of."""
        if self.zarr_format == 3:
            return key, "zarr.json"
        path, _, name = key.rpartition("/")
        return path, name

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, path: str) -> bool:
        return path in self._keys

    @property
    def paths(self) -> list[str]:
        """Paths of all nodes that have an entry, in the order of the document."""
        return list(self._keys)

    def child_names(self, path: str) -> tuple[str, ...]:
        """Return the names below a path, sorted, also of groups without an entry of their own."""
        return tuple(sorted(self._children.get(path, ())))

    def at_and_below(self, path: str) -> list[str]:
        """Return a path and all below it, also of groups without an entry of their own."""
        found = [path]
        for one in found:
            found += [below(one) + name for name in self.child_names(one)]
        return found

    def key(self, path: str, name: str) -> str | None:
        """Return the key of an entry as the document spells it.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        name : str
            Name of the document: ``zarr.json``, ``.zgroup``, ``.zarray`` or ``.zattrs``.
        """
        return self._keys_of(path).get(name)

    @property
    def base(self) -> str:
        """Pointer to the entries in the document of `holder`."""
        return "/consolidated_metadata/metadata" if self.zarr_format == 3 else "/metadata"

    def pointer(self, path: str, name: str) -> str:
        """Return the pointer to an entry in the document of `holder`, also to one that is still to be made.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        name : str
            Name of the document: ``zarr.json``, ``.zgroup``, ``.zarray`` or ``.zattrs``.
        """
        key = self.key(path, name)
        if key is None:
            key = path[1:] if self.zarr_format == 3 else below(path)[1:] + name
        return pointers.join(self.base, key)

    def keys(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield path and key of all entries for documents of one name."""
        for path, found in self._keys.items():
            key = found if isinstance(found, str) else found.get(name)
            if key is not None:
                yield path, key

    def entry(self, path: str, name: str = "zarr.json") -> Any:
        """Return an entry, decoded; None where there is none.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        name : str, optional
            Name of the document: ``zarr.json``, ``.zgroup``, ``.zarray`` or ``.zattrs``.
        """
        key = self.key(path, name)
        return None if key is None else self._entries[key]

    def why_no_node(self, path: str) -> str | None:
        """Return why the entry of a path of Zarr v3 is no metadata of a node, None if it is."""
        key = self.key(path, "zarr.json")
        return None if key is None else self._why_no_node(key)

    def is_array(self, path: str) -> bool:
        """Return whether the entries describe an array at a path."""
        if self.zarr_format == 2:
            return self.key(path, ".zarray") is not None
        entry = self.entry(path, "zarr.json")
        return isinstance(entry, Mapping) and entry.get("node_type") == "array"

    def array_above(self, path: str) -> str | None:
        """Return the path of an array of the entries that a path lies in, None where there is none."""
        return next((above for above in all_above(path) if self.is_array(above)), None)

    def some_at_a_time(self) -> Iterator[list[tuple[str, str]]]:
        """Yield path and key of the entries of Zarr v3, `LOOKED_AT_AT_ONCE` at a time."""
        keys = self.keys("zarr.json")
        while some := list(islice(keys, LOOKED_AT_AT_ONCE)):
            check_cancelled()
            yield some

    def are_nodes(self, keys: Iterable[str]) -> bool:
        """Whether the entries of all these keys of Zarr v3 are metadata of nodes, decided at one look at them."""
        if not isinstance(self._entries, Entries):
            return False
        raw = self._entries.raw
        try:
            different = {id(text := raw[key]): text for key in keys}
            _AS_NODES.decode(b"[" + b",".join(different.values()) + b"]")
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        return True

    def _why_no_node(self, key: str) -> str | None:
        try:
            if isinstance(self._entries, Entries):
                _AS_NODE.decode(self._entries.raw[key])
                return None
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # said of the decoded entry, where a number is called the same however it is written
        entry = self._entries[key]
        try:
            msgspec.convert(entry, _Node)
        except msgspec.ValidationError:
            if not isinstance(entry, dict):
                return f"it is {'null' if entry is None else a_kind(entry)}, not an object"
            if "node_type" not in entry:
                return "it has no node_type"
            return f"its node_type is {json_text(entry['node_type'])}, neither array nor group"
        except UnicodeEncodeError:
            return "it has half of a surrogate pair, which no text can have"
        return None

    def text(self, path: str, name: str = "zarr.json") -> bytes | None:
        """Return an entry as it is written, without blanks; None where there is none, or it is decoded already.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        name : str, optional
            Name of the document: ``zarr.json``, ``.zgroup``, ``.zarray`` or ``.zattrs``.
        """
        key = self.key(path, name)
        if key is None or not isinstance(self._entries, Entries):
            return None
        return msgspec.json.format(bytes(self._entries.raw[key]), indent=-1)

    def written(self, path: str) -> bytes | None:
        """Return the entry for a ``zarr.json`` to the letter; None where there is none, or it is decoded already."""
        key = self._keys.get(path)
        if not isinstance(key, str) or not isinstance(self._entries, Entries):
            return None
        return bytes(self._entries.raw[key])

    def changed_since(self, earlier: Consolidated) -> set[str]:
        """Return the paths of nodes whose entries are others than in an earlier version."""
        new, old = self._entries, earlier._entries
        if earlier._keys is self._keys and isinstance(new, Entries) and isinstance(old, Entries):
            before = old.raw
            keys = [key for key, raw in new.raw.items() if bytes(raw) != bytes(before[key])]
            return {"/" + self._split(key)[0].strip("/") for key in keys}
        return {
            path
            for path in {*self._keys, *earlier._keys}
            if self._texts(path) != earlier._texts(path)
        }

    def _texts(self, path: str) -> list[tuple[str, bytes]]:
        return [(name, bytes(self._raw(key))) for name, key in self._keys_of(path).items()]

    def only_document(self, path: str) -> tuple[Document, bytes] | None:
        """Return the ``zarr.json`` that an entry stands for, and its text; None where it is not as most are.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        """
        key = self._keys.get(path)
        if type(key) is not str or not isinstance(self._entries, Entries):
            return None
        raw = self._entries.raw[key]
        document = Document("zarr.json", f"{path[1:]}/zarr.json", raw, origin="consolidated")
        return document, bytes(raw)

    def documents(self, path: str) -> tuple[Document, ...]:
        """Return the documents that the entries of a node stand for."""
        stem = below(path)[1:]
        found = self._keys.get(path)
        if isinstance(found, str):
            name = "zarr.json"
            return (Document(name, stem + name, self._raw(found), origin="consolidated"),)
        return tuple(
            Document(name, stem + name, self._raw(key), origin="consolidated")
            for name, key in self._keys_of(path).items()
        )

    def _raw(self, key: str) -> bytes | msgspec.Raw:
        if isinstance(self._entries, Entries):
            return self._entries.raw[key]
        # Python's encoder, because the entry may hold NaN, which has to survive.
        entry = self._entries[key]
        text = json.dumps(entry)
        if "Infinity" not in text:
            return text.encode()
        # A number beyond every float64 is decoded as infinity: it must not become a bare token.
        bare = {p.pointer for p in self.holder.problems if p.kind == "bare-token"}
        return _text(entry, pointers.join(self.base, key), bare).encode()


def _text(value: Any, pointer: str, bare: Collection[str]) -> str:
    """Write JSON with infinities as numbers beyond every float64, but where there was a bare token."""
    if isinstance(value, dict):
        members = (
            f"{json.dumps(key)}: {_text(item, pointers.join(pointer, key), bare)}"
            for key, item in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_text(item, f'{pointer}/{i}', bare) for i, item in enumerate(value))}]"
    if type(value) is float and math.isinf(value) and not {pointer, ""}.intersection(bare):
        return "1e999" if value > 0 else "-1e999"
    return json.dumps(value)


def find(
    root_documents: Mapping[str, Document], earlier: Consolidated | None = None
) -> Consolidated | None:
    """Look for consolidated metadata among the documents of a root.

    Parameters
    ----------
    root_documents : mapping
        The documents by name.
    earlier : Consolidated, optional
        What was found when they were read before.

    Returns
    -------
    Consolidated or None
        The index, None where there is none that can be used.
    """
    document = root_documents.get("zarr.json")
    if document is not None and document.ok:
        holder = document.value.get("consolidated_metadata")
        zarr_format: Literal[2, 3] = 3
    else:
        document = root_documents.get(".zmetadata")
        holder = document.value if document is not None else None
        zarr_format = 2
    entries = holder.get("metadata") if isinstance(holder, Mapping) else None
    if document is None or not isinstance(entries, Mapping):
        return None
    return Consolidated(document, zarr_format, entries, earlier)
