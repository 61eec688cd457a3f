"""What the rules would say if a document were different: edits are tried on an overlay, never written.

The overlay is a copy of the hierarchy and of its verdicts. After an edit only those rules are evaluated again that
the edit can touch:

* those on the node itself, its name, and its pair of stored and consolidated metadata;
* those on the members of its group and of itself, and of the groups below where its dimensions are others now,
  because names of dimensions are compared along the tree;
* those on its values, where metadata changed that their meaning depends on;
* those on nodes inside of arrays, where it is one of either.

An edit that changes what the whole hierarchy is – its format, or where its metadata come from – starts anew.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nz_explorer.model import (
    Array,
    Consolidated,
    Group,
    Hierarchy,
    Node,
    NodeNotFound,
    nczarr,
    pointers,
)
from nz_explorer.model.document import decode
from nz_explorer.model.hierarchy import NCZARR_NAMES, ROOT_NAMES, normalise
from nz_explorer.model.json_edit import JsonText, Operation, PatchError, Verbatim, new_text
from nz_explorer.model.paths import above, all_above
from nz_explorer.rules.diffs import Diff, diff_of
from nz_explorer.rules.engine import Evaluation, has_value_rules
from nz_explorer.rules.findings import Finding
from nz_explorer.rules.fixes import Change, Draft, Fix, finish, plain
from nz_explorer.rules.registry import ids_on
from nz_explorer.rules.report import Report
from nz_explorer.rules.wording import plural
from nz_explorer.store import ReadError, SourceError
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.reader import check_key
from nz_explorer.store.writing import Edit

DOCUMENTS = frozenset((*ROOT_NAMES, *NCZARR_NAMES))
VALUE_ATTRIBUTES = ("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned")
"""Attributes that decide what a stored value means."""

_ABSENT: Any = object()


class CannotEdit(ValueError):
    """An edit that cannot be made; the text says why in a sentence."""


@dataclass
class _Step:
    """What an edit has changed: for each key what the overlay had before it, if anything."""

    before: dict[str, bytes | Any | None] = field(default_factory=dict)


class WhatIf:
    """A hierarchy with edits, and what the rules say of it.

    Nothing is ever written. `nz_explorer.apply` writes what was tried here, when the hierarchy was opened with
    ``mode="r+"``.

    Parameters
    ----------
    evaluation : Evaluation
        The hierarchy as it is, with its verdicts. It may still be under way; nodes that it has not visited are
        evaluated when they are edited.
    reread : callable, optional
        Reads the store of the evaluation again after something was written, and evaluates it again.
    changed : callable, optional
        Called after each edit, and after edits were taken back.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        reread: Callable[[], None] | None = None,
        changed: Callable[[], None] | None = None,
    ) -> None:
        self.base = evaluation
        self._reread = reread or self._reread_base
        self._changed = changed or (lambda: None)
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._overlay: OverlayReader | None = None
        self._fork: Evaluation | None = None
        self._steps: list[_Step] = []
        self._originals: dict[str, bytes | None] = {}
        """The documents as they were when they were read, of all keys that were edited."""
        self._texts: dict[str, JsonText] = {}
        self._before: Evaluation | None = None
        """The verdicts without the edits, as they were when the first one was made."""

    # --- what there is ----------------------------------------------------------------------

    @property
    def evaluation(self) -> Evaluation:
        """The verdicts on the hierarchy with the edits."""
        with self._lock:
            return self._forked()

    @property
    def evaluation_before(self) -> Evaluation:
        """The verdicts without the edits, as they were when the first one was made."""
        with self._lock:
            self._forked()
            return self.base if self._before is None else self._before

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy with the edits."""
        return self.evaluation.hierarchy

    @property
    def report(self) -> Report:
        """The report on the hierarchy with the edits."""
        return Report(self.evaluation)

    @property
    def edits(self) -> list[Edit]:
        """The documents that are different now, before and after."""
        with self._lock:
            overridden = {} if self._overlay is None else self._overlay.overridden
            return [
                Edit(key, self._originals[key], data)
                for key, data in sorted(overridden.items())
                if data != self._originals[key]
            ]

    @property
    def steps(self) -> int:
        """How many edits can be taken back."""
        return len(self._steps)

    def diff(self) -> Diff:
        """Return what the edits change, as a unified diff for each document."""
        return diff_of(self.edits)

    @property
    def gone(self) -> list[Finding]:
        """Findings that the edits cure."""
        return self._compared()[0]

    @property
    def new(self) -> list[Finding]:
        """Findings that the edits cause, or bring to light."""
        return self._compared()[1]

    def __repr__(self) -> str:
        edits = len(self.edits)
        gone, new = self._compared()
        return (
            f"<WhatIf {self.base.hierarchy.source}: {plural(edits, 'document')} changed;"
            f" {plural(len(gone), 'finding')} gone, {len(new)} new>"
        )

    # --- edits ------------------------------------------------------------------------------

    def set(self, path: str, pointer: str, value: Any) -> WhatIf:
        """Give a member of a node's document a value, and its consolidated copy too.

        Parameters
        ----------
        path : str
            The node, such as ``/forecast/temp``.
        pointer : str
            Where, as in reports: ``/attributes/units``; for v2 ``/.zattrs/units``. Objects on the way that are
            missing are made. ``/-`` at the end appends to a list.
        value
            A JSON value. NaN and infinities become their names.

        Returns
        -------
        WhatIf
            The same object.

        Raises
        ------
        CannotEdit
            If it does not fit the document.
        NodeNotFound
            If there is no such node.
        """
        with self._lock:
            node = self._node(path)
            operation = self._operation_to_set(node, pointer, plain(value))
            return self._change(changes_of(finish(Draft("suggest", (operation,)), node)))

    def remove(self, path: str, pointer: str) -> WhatIf:
        """Remove a member of a node's document, and of its consolidated copy too.

        Parameters
        ----------
        path, pointer : str
            As for `set`.

        Raises
        ------
        CannotEdit
            If there is nothing to remove.
        NodeNotFound
            If there is no such node.
        """
        with self._lock:
            node = self._node(path)
            operation = {"op": "remove", "path": pointer}
            return self._change(changes_of(finish(Draft("suggest", (operation,)), node)))

    def apply(self, finding: Finding) -> WhatIf:
        """Try the fix of a finding, with the change to the consolidated metadata that belongs to it.

        Parameters
        ----------
        finding : Finding
            Of the report on the hierarchy as it is, or with the edits so far.

        Raises
        ------
        CannotEdit
            If it has no fix that could be applied, or is gone already.
        """
        return self.apply_all([finding])

    def apply_all(self, findings: Iterable[Finding]) -> WhatIf:
        """Try the fixes of several findings as one edit.

        The fixes are those for the documents as they are now, so they must not be for the same place.

        Raises
        ------
        CannotEdit
            If one of them has no fix that could be applied, or is gone already.
        """
        with self._lock:
            changes: list[Change] = []
            for finding in findings:
                fix = self.fix_of(finding)
                if fix is None:
                    raise CannotEdit(f"{finding.rule} at {finding.path} has no fix")
                if not is_patch(finding, fix):
                    raise CannotEdit(f"the fix of {finding.rule} is advice: {fix.note}")
                changes += changes_of(fix)
            return self._change(changes)

    def try_fix(self, fix: Fix) -> WhatIf:
        """Try a fix that belongs to no finding.

        Raises
        ------
        CannotEdit
            If it does not fit the documents, or changes nothing.
        """
        with self._lock:
            if not any(change.patch for change in changes_of(fix)):
                raise CannotEdit(f"the fix is advice: {fix.note}")
            return self._change(changes_of(fix))

    def fix_of(self, finding: Finding) -> Fix | None:
        """Return the fix of a finding for the documents as they are now.

        Raises
        ------
        CannotEdit
            If the finding is gone already.
        """
        here = self._forked().findings(finding.path, below=False)
        known = next((f for f in here if f == finding), None)
        if known is None:
            raise CannotEdit(f"{finding.rule} at {finding.path} is gone already")
        return known.fix

    def consolidate(self) -> WhatIf:
        """Make the consolidated metadata say what the documents say: all entries in one edit.

        Raises
        ------
        CannotEdit
            If there are none.
        """
        with self._lock:
            if self._forked().hierarchy.consolidated is None:
                raise CannotEdit("there are no consolidated metadata that could be corrected")
            fixes = [
                fix
                for finding in self._forked().findings()
                if finding.rule in ids_on("entry")
                and (fix := finding.fix) is not None
                and fix.patch
            ]
            return self._change([change for fix in fixes for change in changes_of(fix)])

    def edit(self, key: str, text: str | bytes | None, *, amend: bool = False) -> WhatIf:
        """Give a whole document another text; None removes the document.

        Consolidated metadata stay as they are, and so do mistakes in the text: the rules tell of both.

        Parameters
        ----------
        key : str
            Key of a metadata document, such as ``forecast/temp/zarr.json``.
        text : str, bytes or None
            Its text.
        amend : bool
            Whether it goes on with the last edit, if that was of this document: they are taken back as one.

        Raises
        ------
        CannotEdit
            If the key is not one of a metadata document, or nothing would be left of the hierarchy.
        """
        if key.rsplit("/", 1)[-1] not in DOCUMENTS:
            raise CannotEdit(f"{key} is no metadata document ({', '.join(sorted(DOCUMENTS))})")
        try:
            check_key(key)
        except ReadError as error:
            raise CannotEdit(f"{key}: {error.detail}") from error
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        with self._lock:
            return self._put({key: data}, amend=amend)

    def undo(self) -> WhatIf:
        """Take back the last edit.

        Raises
        ------
        CannotEdit
            If there is none.
        """
        with self._lock:
            if not self._steps:
                raise CannotEdit("there is nothing to undo")
            self._take_back(self._steps.pop())
        self._changed()
        return self

    def reset(self) -> WhatIf:
        """Take back all edits, and start from what the store's own evaluation knows by now."""
        with self._lock:
            self._forget()
        self._changed()
        return self

    def refresh(self) -> None:
        """Read the store again after something was written, and start without edits."""
        with self._lock:
            self._reread()
            self._forget()
        self._changed()

    def _reread_base(self) -> None:
        self.base.hierarchy.refresh("/")
        self.base.forget("/")
        self.base.run()

    # --- the overlay ------------------------------------------------------------------------

    def _forked(self) -> Evaluation:
        if self._fork is None:
            self._overlay = OverlayReader(self.base.hierarchy.reader)
            self._fork = self.base.fork(self.base.hierarchy.fork(self._overlay))
            self._before = self._fork.fork(self.base.hierarchy)
        return self._fork

    def _reader(self) -> OverlayReader:
        self._forked()
        if self._overlay is None:
            raise AssertionError("the overlay is made with the fork")
        return self._overlay

    def _node(self, path: str) -> Node:
        """Return a node as stored, with what the rules said of it before any edit."""
        self._visit(path)
        node = self._forked().hierarchy.stored.get(path)
        if node is None or not node.documents:
            raise NodeNotFound(normalise(path))
        return node

    def _visit(self, path: str) -> None:
        """Evaluate a node and those around it before they are edited, unless that was done."""
        self._forked()
        for evaluation in (self._before, self._fork):
            if evaluation is not None and not evaluation.complete:
                _visit(evaluation, normalise(path))

    def _operation_to_set(self, node: Node, pointer: str, value: Any) -> dict[str, Any]:
        """Return the operation that sets a value, also where objects on the way are missing."""
        document, inner = node.locate(pointer)
        base = pointer[: len(pointer) - len(inner)]
        if node.zarr_format == 2 and (document is None or not base):
            name, _, rest = pointer.removeprefix("/").partition("/")
            if name not in DOCUMENTS:
                raise CannotEdit(f"{pointer} does not begin with a document such as /.zattrs")
            document, base, inner = None, f"/{name}", f"/{rest}" if rest else ""
        here: Any = document.value if document is not None and document.ok else _ABSENT
        parts = pointers.split(inner)
        if here is _ABSENT:
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

    def _change(self, changes: Sequence[Change]) -> WhatIf:
        """Apply patches in one edit."""
        texts: dict[str, str] = {}
        try:
            for change in changes:
                texts[change.document] = self._patched(change, texts)
        except PatchError as error:
            self._texts.clear()  # of which one may be patched in part
            raise CannotEdit(str(error)) from error
        return self._put({key: text.encode() for key, text in texts.items()}, keep=texts)

    def _patched(self, change: Change, texts: dict[str, str]) -> str:
        key = change.document
        known = self._texts.get(key)
        if known is None:
            raw = texts[key].encode() if key in texts else self._current(key)
            if raw is None:
                return self._created(change)
            known = self._texts[key] = JsonText.of(raw, key)
        known.apply([self._verbatim(operation, key, texts) for operation in change.patch])
        return known.text

    def _created(self, change: Change) -> str:
        """Return the text of a document that its patch creates."""
        first, *others = change.patch or ({},)
        if first.get("op") != "add" or first.get("path") != "":
            raise PatchError(f"there is no document {change.document}")
        root = self._forked().hierarchy.root.main_document
        document = JsonText(new_text(first["value"], root.text if root is not None else None))
        document.apply(others)
        return document.text

    def _verbatim(self, operation: Operation, key: str, texts: dict[str, str]) -> Operation:
        """Spell a whole consolidated entry as the document that it copies is spelled."""
        place = _entry(self._forked().hierarchy.consolidated, key, operation)
        if place is None:
            return operation
        try:
            raw = texts[place].encode() if place in texts else self._current(place)
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

    def _current(self, key: str) -> bytes | None:
        """Return the bytes of a document with the edits so far."""
        overlay = self._reader()
        overridden = overlay.overridden
        if key in overridden:
            return overridden[key]
        return self._original(key)

    def _original(self, key: str) -> bytes | None:
        """Return the bytes of a document as they were read, so that later changes are noticed."""
        if key not in self._originals:
            path = _path(key)
            docs = self._forked().hierarchy.stored
            node = docs.root if path == "/" else docs.node_if_loaded(path)
            found = next((d for d in (node.documents if node else ()) if d.key == key), None)
            if found is None:
                self._originals[key] = self._reader().base.get(key)
            elif found.error is not None:
                raise CannotEdit(f"{key} could not be read: {found.error.detail}")
            else:
                self._originals[key] = found.raw
        return self._originals[key]

    def _put(
        self,
        documents: dict[str, bytes | None],
        *,
        keep: Iterable[str] = (),
        amend: bool = False,
    ) -> WhatIf:
        """Put documents into the overlay as one edit, and evaluate what they touch."""
        overlay = self._reader()
        step = _Step()
        overridden = overlay.overridden
        for key in documents:
            self._visit(_path(key))
            self._original(key)
            step.before[key] = overridden.get(key, _ABSENT)
        for key in set(self._texts) & set(documents) - set(keep):
            del self._texts[key]
        try:
            for key, data in documents.items():
                overlay.override(key, data)
            self._update(documents)
        except (SourceError, ReadError) as error:
            self._take_back(step)
            raise CannotEdit(str(error)) from error
        if not (amend and self._steps and self._steps[-1].before.keys() == documents.keys()):
            self._steps.append(step)
        self._changed()
        return self

    def _take_back(self, step: _Step) -> None:
        overlay = self._reader()
        for key, data in step.before.items():
            self._texts.pop(key, None)
            if data is _ABSENT:
                overlay.restore(key)
            else:
                overlay.override(key, data)
        self._update(step.before)

    # --- evaluating again -------------------------------------------------------------------

    def _update(self, keys: Iterable[str]) -> None:
        """Read documents again, and evaluate all that they touch."""
        evaluation = self._forked()
        complete = evaluation.complete
        update = _Update(evaluation)
        if update.reread({_path(key) for key in keys}):
            for key in keys:
                self._note_listed(key)
            update.evaluate()
            evaluation.complete = complete
        else:
            self._start_anew()

    def _note_listed(self, key: str) -> None:
        """Let the group that a document lies in know whether it is listed there."""
        group = self._forked().hierarchy.stored.node_if_loaded(_path(key))
        if isinstance(group, Group) and group.child_names is not None:
            name = key.rpartition("/")[2]
            names = set(group.other_names) - {name}
            if self._current(key) is not None:
                names.add(name)
            group.other_names = tuple(sorted(names))

    def _start_anew(self) -> None:
        """Evaluate the hierarchy from its root, because it is another one."""
        evaluation = self._forked()
        evaluation.hierarchy = Hierarchy(self._reader(), use_consolidated=self._uses_consolidated())
        evaluation.forget("/")
        evaluation.run()

    def _uses_consolidated(self) -> bool:
        hierarchy = self.base.hierarchy
        return hierarchy.metadata_source == "consolidated" or hierarchy.consolidated is None

    # --- comparing --------------------------------------------------------------------------

    def _compared(self) -> tuple[list[Finding], list[Finding]]:
        """Return the findings that are gone, and those that are new."""
        with self._lock:
            if self._fork is None or self._before is None:
                return [], []
            return self._before.compared_with(self._fork)


def _path(key: str) -> str:
    """Return the path of the node that a document belongs to."""
    return f"/{key.rpartition('/')[0]}"


def changes_of(fix: Fix) -> list[Change]:
    """Return all patches of a fix."""
    return [Change(fix.document, fix.patch), *fix.also]


def is_patch(finding: Finding, fix: Fix) -> bool:
    """Whether a fix can be applied, and is not only advice.

    A byte order mark is no part of the JSON, so no patch takes it off: writing the document again does.
    """
    return any(change.patch for change in changes_of(fix)) or finding.rule == "JSON-005"


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


def _visit(evaluation: Evaluation, path: str) -> None:
    """Evaluate a node and all beside and above it, as far as that was not done."""
    docs = evaluation.hierarchy.stored if evaluation.on_documents else evaluation.hierarchy
    docs.get(path)
    for place in all_above(path):
        if path in evaluation:
            break
        path = place
        group = docs.node_if_loaded(path)
        if isinstance(group, Group) and group.child_names is not None:
            for node in (group, *(group.children or ())):
                if node.path not in evaluation:
                    evaluation.add_node(node)
            evaluation.group_complete(group)


# --- what an edit touches -------------------------------------------------------------------------


class _Update:
    """Nodes that were read again, and what has to be evaluated because of that."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.hierarchy = evaluation.hierarchy
        self.docs = evaluation.hierarchy.stored
        self.nodes: dict[str, bool] = {}
        """Nodes to evaluate, and whether their values mean something else now."""
        self.members: set[str] = set()
        """Groups whose members are to be compared again."""
        self.subtrees: set[str] = set()
        """Nodes to visit with all below them."""
        self.arrays: set[str] = set()
        """Arrays to look inside of."""
        self.entries = False
        """Whether consolidated entries, or what they stand for, came or went."""

    def reread(self, paths: set[str]) -> bool:
        """Read nodes again and note what depends on them; return False if the hierarchy is another one now."""
        on_documents = self.evaluation.on_documents
        if self.hierarchy.root.state == "missing":  # it is there because of what is below it
            paths = {"/", *paths}
        if "/" in paths and not self._reread_root(on_documents):
            return False
        for path in sorted(paths - {"/"}):
            if on_documents:
                self._reread(path)
            else:
                self.docs.reread(path)  # which nobody has evaluated
        return True

    def _reread_root(self, on_documents: bool) -> bool:
        hierarchy = self.hierarchy
        before, old = _nature(hierarchy), hierarchy.consolidated
        hierarchy.reread("/")
        if _nature(hierarchy) != before or not on_documents:
            return False
        self.nodes["/"] = True
        self.members.add("/")
        if old is not None and hierarchy.consolidated is not None:
            self._compare_entries(old, hierarchy.consolidated)
        return True

    def _compare_entries(self, old: Consolidated, new: Consolidated) -> None:
        """Find the nodes whose consolidated copy is another one."""
        for path in new.changed_since(old) - {"/"}:
            self.entries = True
            if self.docs.node_if_loaded(path) is not None:
                self.nodes.setdefault(path, False)

    def _reread(self, path: str) -> None:
        docs, group = self.docs, above(path)
        if self._is_hidden(path):
            return
        before = docs.node_if_loaded(path)
        after = docs.reread(path) if docs.get(group) is not None else None
        self.members.add(group)
        if (
            before is None
            or after is None
            or (before.kind, before.state) != (after.kind, after.state)
        ):
            self.entries = True
            self.subtrees.add(path)
            self._reread_missing(group)
            return
        self.nodes[path] = _values_key(before) != _values_key(after)
        if isinstance(after, Group):
            self.members.add(path)
        elif _axes(before) != _axes(after):
            self._note_groups_below(group)

    def _reread_missing(self, path: str) -> None:
        """Read groups without documents again: they are there only because of what is below them."""
        top = None
        for place in (path, *all_above(path)):
            node = self.docs.node_if_loaded(place)
            if place != "/" and (node is None or node.state == "missing"):
                top = place
        if top is not None:
            self.docs.reread(top)
            self.subtrees.add(top)
            self.members.add(above(top))

    def _is_hidden(self, path: str) -> bool:
        """Whether a node lies below something that is no group, where only rules on arrays look."""
        for place in all_above(path):
            node = self.docs.node_if_loaded(place)
            if node is not None and not isinstance(node, Group):
                self.arrays.add(place)
                return True
        return False

    def _note_groups_below(self, path: str) -> None:
        """Note all groups below one whose dimensions changed: they are compared with those above."""
        group = self.docs.node_if_loaded(path)
        for child in group.groups if isinstance(group, Group) else ():
            if child.child_names is not None:
                self.members.add(child.path)
                self._note_groups_below(child.path)

    def _is_below(self, path: str) -> bool:
        """Whether a node lies below one that is visited anyway."""
        return any(path.startswith(f"{other}/") for other in self.subtrees)

    def _note_pyramids(self) -> None:
        """Note the groups of which the rules look two levels down, or all the way up."""
        self.members |= {above(path) for path in self.members}
        if "geozarr" in self.evaluation.conventions:
            self.members |= self.evaluation.groups

    def evaluate(self) -> None:
        """Evaluate what was noted."""
        evaluation, docs = self.evaluation, self.docs
        self.subtrees = {path for path in self.subtrees if not self._is_below(path)}
        for path in self.subtrees:
            evaluation.forget(path)
        visited = [
            node
            for path in sorted(self.subtrees)
            if docs.node_if_loaded(path) is not None
            for node in docs.walk(path)
        ]
        for path in evaluation.referring:
            self.nodes.setdefault(path, False)
        self._note_pyramids()
        again = {path: node for path in self.nodes if (node := docs.node_if_loaded(path))}
        # Of Zarr v2 the documents say how chunks are named, and what those that are missing hold.
        self.arrays |= {p for p, n in again.items() if isinstance(n, Array) and n.zarr_format == 2}
        for node in visited:
            evaluation.add_node(node)
        for path, node in again.items():
            evaluation.add_again(node, values=self.nodes[path])
        groups = {path for path in self.members if path in evaluation}
        groups |= {node.path for node in visited}
        for path in groups:
            group = docs.node_if_loaded(path)
            if isinstance(group, Group) and group.child_names is not None:
                evaluation.group_complete(group)
        for node in (*visited, *(n for p, n in again.items() if self.nodes[p])):
            if isinstance(node, Array) and has_value_rules(node):
                evaluation.value_rules(node)
        looked_into = (*visited, *map(docs.node_if_loaded, self.arrays))
        evaluation.listing_rules([array for array in looked_into if isinstance(array, Array)])
        if self.entries:
            evaluation.consolidated_complete()


def _nature(hierarchy: Hierarchy) -> tuple[Any, ...]:
    """Return what makes a hierarchy another one if it changes."""
    return (
        hierarchy.root.kind,
        hierarchy.root.state,
        hierarchy.zarr_format,
        hierarchy.metadata_source,
        hierarchy.side_names,
        _dialects(hierarchy.root),
        hierarchy.consolidated is None,
    )


def _dialects(root: Node) -> frozenset[str]:
    """Return where netCDF-C noted something on the root, with which other nodes are compared."""
    parts: tuple[nczarr.Part, ...] = ("superblock", "group", "array")
    return frozenset(place.era for part in parts for place in nczarr.places(root, part))


def _axes(node: Node) -> Any:
    return (node.shape, node.dimension_names) if isinstance(node, Array) else None


def _values_key(node: Node) -> Any:
    """Return what the meaning of an array's values depends on."""
    if not isinstance(node, Array):
        return None
    metadata = {key: value for key, value in node.metadata.items() if key != "attributes"}
    attributes = [node.attributes.get(key, _ABSENT) for key in VALUE_ATTRIBUTES]
    return has_value_rules(node), repr(metadata), repr(attributes)
