"""What a result depends on, recorded while rules run: stores repeat themselves, and so need not be judged node by node.

Ten thousand arrays rarely have more than a few shapes, codec chains or sets of attribute names, even where
no two documents are equal. Nodes share a result only where they agree in all that the rules have read of
the first one, and what that is nobody declares: rules run on a `traced` node, which notes each read.

Always compared are the members of the documents other than attributes, and the names of the attributes
(`structure_key`). Beyond these a rule may read values of attributes, each by its name, and some `FACTS`.
Whatever else it asks a node for – its path, its neighbours – is noted as well, and then nothing is shared.

Long because what is traced and what keys hold must be looked at together.
"""

from __future__ import annotations

import itertools
import marshal
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from nz_explorer.documents.document import Document
from nz_explorer.model.node import odd

if TYPE_CHECKING:
    from nz_explorer.model import Node

T = TypeVar("T")

MEMO_ENTRIES = 20_000
"""Results that are remembered of each kind of node; a store that repeats itself needs far fewer."""

_NUMBERS = itertools.count()


def exact_text(value: Any) -> bytes:
    """Return a text that is equal only for JSON values that are equal in everything, types and order included.

    It distinguishes 1 from 1.0 and true, 0.0 from -0.0, and infinity from null.
    """
    # Version 2 writes equal values to equal bytes; later ones do not: they write references to shared objects.
    try:
        return marshal.dumps(value, 2)
    except ValueError:  # nested deeper than it goes, which depends on Python: like nothing else
        return b"!%d" % next(_NUMBERS)


def structure_key(node: Node, attributes: dict[str, Any]) -> Hashable:
    """Return the content of a node's documents apart from the values of its attributes, which are given, too.

    Parameters
    ----------
    node : Node
        The node.
    attributes : dict
        Its attributes; their names are part of the key, their values are not.
    """
    if node.structure_key is not None:
        return (node.structure_key, *attributes)
    main, holder = node.main_document, node.attributes_document
    members = dict(node.metadata)
    if node.zarr_format == 3:
        if isinstance(members.get("attributes"), dict):
            members["attributes"] = {}
        if "consolidated_metadata" in members:
            members["consolidated_metadata"] = None
    unusable = None if holder is None or holder is main or holder.ok else holder.value
    others = [(d.name, d.raw) for d in node.documents if d is not main and d is not holder]
    names = [document.name for document in node.documents]
    return (node.kind, exact_text((names, members, unusable, others)), *attributes)


# --- what can be read beyond that -----------------------------------------------------------------


def _texts(node: Node) -> Hashable:
    return tuple([document.raw for document in node.documents])


def _problems(node: Node) -> Hashable:
    return repr([(d.name, d.error, d.problems) for d in node.documents])


ODD = "odd attributes"
TYPES = "types of attributes"
"""Facts of their own, because they are found out from the attributes' values."""
FACTS: dict[str, Callable[[Any], Hashable]] = {
    "texts": _texts,
    "problems": _problems,
    "named like its dimension": attrgetter("named_like_dimension"),
    "name": attrgetter("name"),
    "parent": attrgetter("parent"),
    "state": attrgetter("state", "problem"),
    "origin": lambda node: tuple([document.origin for document in node.documents]),
    "documents of the root": lambda node: _texts(node.hierarchy.root),
    "unwritten": attrgetter("hierarchy.reader.unwritten"),
}
"""What rules read of a node beside its documents' members, and how it is found out for a key."""

_FACT_OF_ATTRIBUTE = {
    "attribute_types": TYPES,
    "odd_attributes": ODD,
    "named_like_dimension": "named like its dimension",
    "name": "name",
    "parent": "parent",
    "state": "state",
    "problem": "state",
}
_FACT_OF_DOCUMENT = {
    "raw": "texts",
    "text": "texts",
    "scan": "texts",
    "span": "texts",
    "token": "texts",
    "problems": "problems",
    "error": "problems",
    "origin": "origin",
}
_IN_STRUCTURE = frozenset(("name", "has_bytes", "ok", "value", "attributes", "__class__"))
"""What documents are asked for that `structure_key` has."""
_COVERED = frozenset(
    (
        "_main",
        "documents",
        "zarr_format",
        "_fill",
        "_storage_fill",
        "_structure",
        "_log",
        "_real",
    )
)
"""Slots of nodes that hold traced documents, what is found out from these, or what `structure_key` has."""
_OTHER_NODES = frozenset(("children", "arrays", "groups"))
_SAME_IN_A_MEMO = frozenset(("zarr_format", "modes"))
"""What a hierarchy is asked for that is the same for all nodes that share results."""


class ReadLog:
    """What was read of a node beyond its structure.

    Attributes
    ----------
    attributes : dict of str to None
        Names of the attributes whose values were read.
    facts : dict of str to None
        Names of the `FACTS` that were read.
    elsewhere : set of str
        What was read that no key can hold.
    """

    def __init__(self) -> None:
        self.attributes: dict[str, None] = {}
        self.facts: dict[str, None] = {}
        self.elsewhere: set[str] = set()

    def read_attribute(self, name: str) -> None:
        """Note that the value of an attribute was read."""
        self.attributes[name] = None

    def read_fact(self, name: str) -> None:
        """Note that one of the `FACTS` was read."""
        self.facts[name] = None

    def read_elsewhere(self, name: str) -> None:
        """Note that something was read that is none of a node's own documents."""
        self.elsewhere.add(name)

    def for_root(self) -> ReadLog:
        """Return a log of what is read of the root, all of which is one fact about the node."""
        return _RootLog(self)


class _RootLog(ReadLog):
    def __init__(self, log: ReadLog) -> None:
        super().__init__()
        self._log = log

    def read_attribute(self, name: str) -> None:
        self._log.read_fact("documents of the root")

    def read_fact(self, name: str) -> None:
        self._log.read_fact("documents of the root")

    def read_elsewhere(self, name: str) -> None:
        self._log.read_elsewhere(f"root: {name}")


# --- traced nodes ---------------------------------------------------------------------------------


_STRANGE = "\0 nobody reads this"


class _TracedMembers(dict[str, Any]):
    """Members of an object whose values are noted when they are read; their names and order are in every key.

    As far as C code is concerned it holds one strange member: whatever got past these methods would find that,
    and not something that nobody has noted.
    """

    __slots__ = ("_held", "_read")

    def __init__(self, held: dict[str, Any], read: Callable[[str, Any], Any]) -> None:
        super().__init__({_STRANGE: None})
        self._held = held
        self._read = read

    def __getitem__(self, key: str) -> Any:
        return self._read(key, self._held[key])

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self._held else default

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def copy(self) -> dict[str, Any]:
        return {key: self[key] for key in self._held}

    def keys(self) -> Any:
        return self._held.keys()

    def values(self) -> Any:
        return self.copy().values()

    def items(self) -> Any:
        return self.copy().items()

    def __eq__(self, other: object) -> bool:
        return self.copy() == (other.copy() if isinstance(other, _TracedMembers) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return self.copy() | dict(other)

    def __ror__(self, other: Any) -> Any:
        return dict(other) | self.copy()

    def __repr__(self) -> str:
        return repr(self.copy())

    def __reduce__(self) -> Any:  # of copy.copy and copy.deepcopy
        return (dict, (self.copy(),))

    def __reduce_ex__(self, _protocol: Any) -> Any:
        return self.__reduce__()


class _TracedDocument:
    """A document of a traced node; to `isinstance` it is one, because that asks for ``__class__``."""

    __slots__ = ("_clean", "_log", "_members", "_real")

    def __init__(
        self, real: Document, log: ReadLog, members: dict[str, Any] | None, *, clean: bool
    ) -> None:
        object.__setattr__(self, "_real", real)
        object.__setattr__(self, "_log", log)
        object.__setattr__(self, "_members", members)
        object.__setattr__(self, "_clean", clean)

    def __getattribute__(self, name: str) -> Any:
        get = object.__getattribute__
        real, log = get(self, "_real"), get(self, "_log")
        members = get(self, "_members")
        if name in ("value", "attributes") and members is not None:
            return members if name == "value" else members.get(name)
        if name in _FACT_OF_DOCUMENT:
            # Only documents without problems have a structure key, which is part of this key.
            if _FACT_OF_DOCUMENT[name] != "problems" or not get(self, "_clean"):
                log.read_fact(_FACT_OF_DOCUMENT[name])
        elif name not in _IN_STRUCTURE:
            log.read_elsewhere(f"document: {name}")
        return getattr(real, name)


class _TracedHierarchy:
    """The hierarchy of a traced node, and its reader."""

    def __init__(self, real: Any, log: ReadLog) -> None:
        self._real = real
        self._log = log

    def __getattr__(self, name: str) -> Any:
        if name == "root":
            # Of the root not even its kind and the names of its attributes are in the structure.
            self._log.read_fact("documents of the root")
            return traced(self._real.root, self._log.for_root())
        if name == "reader":
            return _TracedHierarchy(self._real.reader, self._log)
        if name == "unwritten":
            self._log.read_fact(name)
        elif name not in _SAME_IN_A_MEMO:
            self._log.read_elsewhere(f"hierarchy: {name}")
        return getattr(self._real, name)


@cache
def _traced_class(kind: Any) -> Any:
    """Return the class of traced nodes of a kind: an array stays one."""
    get = object.__getattribute__
    slots = {slot for base in kind.__mro__ for slot in getattr(base, "__slots__", ())}
    elsewhere = (slots | _OTHER_NODES) - _COVERED - _FACT_OF_ATTRIBUTE.keys() - {"hierarchy"}
    noted = {*elsewhere, *_FACT_OF_ATTRIBUTE, "hierarchy", "is_root"}

    def read(node: Node, name: str) -> Any:
        if name not in noted:  # then it is found out from what is
            return get(node, name)
        log, real = get(node, "_log"), get(node, "_real")
        if name == "hierarchy":
            return _TracedHierarchy(real.hierarchy, log)
        if name in elsewhere:
            log.read_elsewhere(name)
        elif name != "is_root":  # the same for all nodes that share results
            log.read_fact(_FACT_OF_ATTRIBUTE[name])
        return getattr(real, name)

    members = {"__slots__": ("_log", "_real"), "__getattribute__": read}
    return type(f"Traced{kind.__name__}", (kind,), members)


def traced(node: Node, log: ReadLog) -> Node:
    """Return a node that equals another one, and records what is read from it.

    Parameters
    ----------
    node : Node
        The node.
    log : ReadLog
        Where reads are noted, except for those of its structure.
    """

    def read_attribute(name: str, value: Any) -> Any:
        log.read_attribute(name)
        return value

    attributes = _TracedMembers(node.attributes, read_attribute)

    def read_member(name: str, value: Any) -> Any:
        if name == "attributes" and isinstance(value, dict):
            return attributes
        if name == "consolidated_metadata":
            log.read_elsewhere(name)
        return value

    main, holder = node.main_document, node.attributes_document
    documents = []
    for document in node.documents:
        members: dict[str, Any] | None = None
        if document is main and node.zarr_format == 3 and document.ok:
            members = _TracedMembers(document.value, read_member)
        elif document is holder and document.ok:
            members = attributes
        documents.append(
            _TracedDocument(document, log, members, clean=node.structure_key is not None)
        )
    kind: Any = type(node)
    twin: Any = object.__new__(_traced_class(kind))
    twin._log, twin._real = log, node  # noqa: SLF001  # of the class that was made for it
    kind.__init__(twin, node.hierarchy, node.path, tuple(documents))
    made: Node = twin
    return made


# --- what is remembered ---------------------------------------------------------------------------


class _Alike:
    """Results on nodes of one structure, by what was read of them beyond it."""

    __slots__ = ("_facts", "_names", "_odd", "_types", "known", "place")

    def __init__(self, names: Iterable[str] = (), facts: Iterable[str] = ()) -> None:
        self._names = tuple(names)
        self._facts = tuple(facts)
        self._odd, self._types = ODD in self._facts, TYPES in self._facts
        found = [FACTS[name] for name in self._facts if name not in (ODD, TYPES)]
        self.place: Callable[[Node], Hashable] | None = (
            None if not found else found[0] if len(found) == 1 else partial(_all_of, found)
        )
        """Finds out what was read beside attributes; None where that was nothing."""
        self.known: dict[Hashable, Any] = {}

    def key(self, node: Node, attributes: dict[str, Any]) -> Hashable:
        """Return what was read of the first nodes, as it is of this one."""
        values = [attributes[name] for name in self._names]
        if self._odd:
            values += odd(attributes)
        text: Hashable = exact_text(values) if values else b""
        if self._types:
            text = (text, *map(type, attributes.values()))
        return text if self.place is None else (text, self.place(node))

    def holds(self, log: ReadLog) -> bool:
        """Whether the key has all that was read."""
        return log.attributes.keys() <= {*self._names} and log.facts.keys() <= {*self._facts}

    def widened(self, log: ReadLog) -> _Alike:
        """Return a place for results with a key that has all that was read, too."""
        return _Alike(
            dict.fromkeys((*self._names, *log.attributes)),
            dict.fromkeys((*self._facts, *log.facts)),
        )


def _all_of(facts: Iterable[Callable[[Node], Hashable]], node: Node) -> Hashable:
    return tuple([fact(node) for fact in facts])


class Memo:
    """Results on nodes, each shared by all that agree in everything that was read to get it.

    A key that lacks something that was read is extended, and results stored under it are forgotten: no result
    is ever stored under a key that has less than what it depends on. Results depend on nothing but what is
    read, so a node with the same key would be read in the same way.
    """

    def __init__(self) -> None:
        self._alike: dict[Hashable, _Alike | None] = {}
        """By structure; None where something was read that no key can hold."""
        self._texts: dict[bytes, tuple[Callable[[Node], Hashable] | None, dict[Hashable, Any]]] = {}
        """By document, where it is known to be equal to the letter: then only the place of a node matters."""
        self._left = MEMO_ENTRIES
        self._seen: set[int] = set()
        """Hashes of structures and keys that were met once; to note what is read costs as much as to judge thrice."""
        self._root_format: int | None = None

    def known(self, node: Node) -> Any:
        """Return the result on a node with the same document, None if there is none."""
        if node.text is None or node.hierarchy.zarr_format != self._root_format:
            return None
        same = self._texts.get(node.text)
        if same is None:
            return None
        place, results = same
        return results.get(None if place is None else place(node))

    def result(self, node: Node, judge: Callable[[Node], T], given: tuple[Hashable, ...] = ()) -> T:
        """Return what is found out of a node, from a node like it if there was one.

        Parameters
        ----------
        node : Node
            The node, which is not the root.
        judge : callable
            Finds it out, from the node and what is given alone. The node that it gets may be a traced one.
        given : tuple
            What else the result depends on.
        """
        if node.hierarchy.zarr_format != self._root_format:
            self._alike, self._texts = {}, {}
            self._root_format = node.hierarchy.zarr_format
        attributes = node.attributes
        structure = structure_key(node, attributes)
        if given:
            structure = (structure, given)
        alike = self._alike.get(structure, _NEW)
        if alike is None:
            return judge(node)
        key = alike.key(node, attributes)
        found: T | None = alike.known.get(key)
        if found is None:
            if self._left <= 0 or self._is_first(structure, key):
                return judge(node)
            log = ReadLog()
            found = judge(traced(node, log))
            self._left -= 1
            if log.elsewhere:
                self._alike[structure] = None
                return judge(node)
            if alike is _NEW or not alike.holds(log):
                alike = self._alike[structure] = alike.widened(log)
            alike.known[alike.key(node, attributes)] = found
        if node.text is not None and not given and len(self._texts) < MEMO_ENTRIES:
            place = alike.place
            known = self._texts.get(node.text)
            if known is None or known[0] is not place:
                known = self._texts[node.text] = (place, {})
            known[1][None if place is None else place(node)] = found
        return found

    def _is_first(self, structure: Hashable, key: Hashable) -> bool:
        """Whether no node like this one was seen yet; most of those are the only one of their kind."""
        seen = hash((structure, key))
        if seen in self._seen or len(self._seen) >= MEMO_ENTRIES:
            return False
        self._seen.add(seen)
        return True


_NEW = _Alike()
"""Stands for a structure of which no node was looked at."""
