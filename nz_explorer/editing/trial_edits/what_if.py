"""Findings as they would be if a document were different: edits are tried on an overlay, never written.

The overlay is a copy of the hierarchy and of its verdicts. After an edit only those rules are evaluated again that
the edit can touch:

* those on the node itself, its name, and its pair of stored and consolidated metadata;
* those on the members of its group and of itself, and of the groups below where it came or went, or its dimensions are others now,
  because names of dimensions are compared along the tree;
* those on its values, where metadata changed that their meaning depends on;
* those on nodes inside of arrays, where it is one of either.

An edit that changes what the whole hierarchy is – its format, or where its metadata come from – starts anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from nz_explorer.conventions import registry
from nz_explorer.editing.diffs import Diff, diff_of
from nz_explorer.editing.trial_edits.edited_documents import (
    Before,
    CannotEdit,
    EditedDocuments,
    check_document,
    check_path,
    operation_to_set,
    path_of,
)
from nz_explorer.editing.trial_edits.reevaluation import Reevaluation, visit_around
from nz_explorer.engine.evaluation import Evaluation, found_again
from nz_explorer.engine.findings import Finding
from nz_explorer.engine.fixes import Change, Draft, Fix, finish, plain, remove
from nz_explorer.model import Hierarchy, Node, NodeNotFound
from nz_explorer.model.hierarchy import normalise
from nz_explorer.report.report import Report
from nz_explorer.store import ReadError, SourceError
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.writing import Edit
from nz_explorer.text.phrases import plural


class WhatIf:
    """A hierarchy with edits, and its findings.

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
        self._editing = threading.RLock()
        """One edit after the other: each is made of what the one before has left. Only edits wait for it."""
        self._lock = threading.RLock()
        """Of what there is to see; nothing is read under it."""
        self._forget()

    def _forget(self) -> None:
        with self._lock:
            self._start()

    def _start(self) -> None:
        self._documents: EditedDocuments | None = None
        self._fork: Evaluation | None = None
        self._steps: list[Before] = []
        self._before: Evaluation | None = None
        """The verdicts without the edits, as they were when the first one was made."""

    # --- what there is ----------------------------------------------------------------------

    @property
    def evaluation(self) -> Evaluation:
        """The verdicts on the hierarchy with the edits."""
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
            return [] if self._documents is None else self._documents.edits

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
        with self._editing:
            node = self._node(path)
            operation = operation_to_set(node, pointer, plain(value))
            return self._change(finish(Draft("suggest", (operation,)), node).changes)

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
        with self._editing:
            node = self._node(path)
            return self._change(finish(Draft("suggest", (remove(pointer),)), node).changes)

    def apply(self, finding: Finding, way: int = 0) -> WhatIf:
        """Try the fix of a finding, with the change to the consolidated metadata that belongs to it.

        Parameters
        ----------
        finding : Finding
            Of the report on the hierarchy as it is, or with the edits so far.
        way : int
            Which of its fixes, where there are several.

        Raises
        ------
        CannotEdit
            If it has no fix that could be applied, or is gone already.
        """
        return self.apply_all([finding], way)

    def apply_all(self, findings: Iterable[Finding], way: int = 0) -> WhatIf:
        """Try the fixes of several findings as one edit.

        The fixes are those for the documents as they are now, so they must not be for the same place.

        Parameters
        ----------
        findings : iterable of Finding
            Of the report on the hierarchy as it is, or with the edits so far.
        way : int
            Which of the fixes of each, where there are several.

        Raises
        ------
        CannotEdit
            If one of them has no fix that could be applied, or is gone already.
        """
        with self._editing:
            changes: list[Change] = []
            for finding in findings:
                fix = self.fix_of(finding, way)
                if fix is None:
                    raise CannotEdit(f"{finding.rule} at {finding.path} has no fix")
                if not fix.can_be_applied:
                    raise CannotEdit(f"the fix of {finding.rule} is advice: {fix.note}")
                changes += fix.changes
            return self._change(changes)

    def try_fix(self, fix: Fix) -> WhatIf:
        """Try a fix that belongs to no finding.

        Raises
        ------
        CannotEdit
            If it does not fit the documents, or changes nothing.
        """
        with self._editing:
            if not fix.can_be_applied:
                raise CannotEdit(f"the fix is advice: {fix.note}")
            return self._change(fix.changes)

    def fix_of(self, finding: Finding, way: int = 0) -> Fix | None:
        """Return the fix of a finding for the documents as they are now.

        Parameters
        ----------
        finding : Finding
            Of the report on the hierarchy as it is, or with the edits so far.
        way : int
            Which of its fixes, where there are several.

        Raises
        ------
        CannotEdit
            If the finding is gone already.
        """
        before = self.evaluation_before.findings(finding.path, below=False)
        known = found_again(finding, before, self._forked().findings(finding.path, below=False))
        if known is None:
            raise CannotEdit(f"{finding.rule} at {finding.path} is gone already")
        return next(islice(known.fixes, way, None), None)

    def consolidate(self) -> WhatIf:
        """Bring the consolidated metadata up to date: all entries in one edit.

        Raises
        ------
        CannotEdit
            If there are none.
        """
        with self._editing:
            if self._forked().hierarchy.consolidated is None:
                raise CannotEdit("there are no consolidated metadata that could be corrected")
            fixes = [
                fix
                for finding in self._forked().findings()
                if finding.rule in registry().ids_on("entry")
                and (fix := finding.fix) is not None
                and fix.patch
            ]
            return self._change([change for fix in fixes for change in fix.changes])

    def edit(self, key: str, text: str | bytes | None, *, amend: bool = False) -> WhatIf:
        """Replace the text of a whole document; None removes the document.

        Consolidated metadata stay as they are, and so do mistakes in the text: the rules report both.

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
        check_document(key)
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        with self._editing:
            return self._put({key: data}, amend=amend)

    def undo(self) -> WhatIf:
        """Take back the last edit.

        Raises
        ------
        CannotEdit
            If there is none.
        """
        with self._editing:
            if not self._steps:
                raise CannotEdit("there is nothing to undo")
            self._take_back(self._steps.pop())
        self._changed()
        return self

    def reset(self) -> WhatIf:
        """Take back all edits, and start from what the store's own evaluation knows by now."""
        with self._editing:
            self._forget()
        self._changed()
        return self

    def refresh(self, written: Iterable[Edit] | None = None) -> None:
        """Read the store again after something was written, and start without the edits that were.

        Other edits, and those that are made while the store is read, are made again; see `make_again`.

        Parameters
        ----------
        written : iterable of Edit, optional
            What was written, by default all that was tried.
        """
        with self._editing, self._lock:
            for edit in self.edits if written is None else written:
                self._edited().originals[edit.key] = edit.after  # which is what the store holds now
        self._reread()
        self.make_again()

    def make_again(self) -> list[str]:
        """Make the edits again of what the store's own evaluation knows by now.

        Returns
        -------
        list of str
            Reasons why edits cannot be made, a sentence each. An edit of a document that is different in the store
            by now is kept as it was made, and cannot be saved.
        """
        said: list[str] = []
        with self._editing:
            # made aside, so that nobody sees the hierarchy with some of the edits only
            again = WhatIf(self.base)
            for edit in self.edits:
                if again._is_different(edit):
                    said.append(
                        f"{edit.key} was changed in the store since it was edited, so the edit cannot be saved."
                    )
                again._edited().originals[edit.key] = edit.before
                try:
                    again._put({edit.key: edit.after})
                except CannotEdit as error:
                    said.append(f"The edit of {edit.key} is gone: {error}")
            with self._lock:
                self._documents, self._fork = again._documents, again._fork
                self._steps, self._before = again._steps, again._before
        self._changed()
        return said

    def _is_different(self, edit: Edit) -> bool:
        """Whether the document of an edit is known to be another one by now."""
        try:
            return self._edited().original(edit.key) != edit.before
        except (CannotEdit, ReadError):
            return False  # who saves it will see

    def _reread_base(self) -> None:
        self.base.hierarchy.refresh("/")
        self.base.forget("/")
        self.base.run()

    # --- the overlay ------------------------------------------------------------------------

    def _forked(self) -> Evaluation:
        with self._lock:
            if self._fork is None:
                overlay = OverlayReader(self.base.hierarchy.reader)
                self._fork = self.base.fork(self.base.hierarchy.fork(overlay))
                self._documents = EditedDocuments(self._fork, overlay)
                self._before = self._fork.fork(self.base.hierarchy)
            return self._fork

    def _edited(self) -> EditedDocuments:
        self._forked()
        if self._documents is None:
            raise AssertionError("they are made with the fork")
        return self._documents

    def _node(self, path: str) -> Node:
        """Return a node as stored, with its findings before any edit."""
        self._visit(check_path(path))
        node = self._forked().hierarchy.stored.get(path)
        if node is None or not node.documents:
            raise NodeNotFound(normalise(path))
        return node

    def _visit(self, path: str) -> None:
        """Evaluate a node and those around it before they are edited, unless that was done."""
        self._forked()
        for evaluation in (self._before, self._fork):
            if evaluation is not None and not evaluation.complete:
                visit_around(evaluation, normalise(path))

    def _change(self, changes: Sequence[Change]) -> WhatIf:
        """Apply patches in one edit."""
        patched = self._edited().patched(changes)
        return self._put(patched, keep=patched)

    def _put(
        self,
        documents: Mapping[str, bytes | None],
        *,
        keep: Iterable[str] = (),
        amend: bool = False,
    ) -> WhatIf:
        """Put documents into the overlay as one edit, and evaluate what they touch."""
        for key in documents:
            self._visit(path_of(key))
        step = self._edited().override(documents, keep)
        try:
            self._update(documents)
        except (SourceError, ReadError) as error:
            self._take_back(step)
            raise CannotEdit(str(error)) from error
        if not (amend and self._steps and self._steps[-1].keys() == documents.keys()):
            self._steps.append(step)
        self._changed()
        return self

    def _take_back(self, step: Before) -> None:
        self._edited().restore(step)
        self._update(step)

    # --- evaluating again -------------------------------------------------------------------

    def _update(self, keys: Iterable[str]) -> None:
        """Read documents again, and evaluate all that they touch."""
        evaluation = self._forked()
        complete = evaluation.complete
        evaluation.complete = False  # until all that the edit touches was evaluated again
        update = Reevaluation(evaluation)
        try:
            if not update.reread({path_of(key) for key in keys}):
                self._start_anew()
                return
            for key in keys:
                update.note_listed(key, exists=self._edited().current(key) is not None)
            update.evaluate()
        except (SourceError, ReadError):
            evaluation.complete = complete  # as it is after the edit was taken back
            raise
        evaluation.complete = complete

    def _start_anew(self) -> None:
        """Evaluate the hierarchy from its root, because it is another one."""
        evaluation, consolidated = self._forked(), self._uses_consolidated()
        evaluation.hierarchy = Hierarchy(self._edited().overlay, use_consolidated=consolidated)
        evaluation.forget("/")
        evaluation.run()

    def _uses_consolidated(self) -> bool:
        hierarchy = self.base.hierarchy
        return hierarchy.metadata_source == "consolidated" or hierarchy.consolidated is None

    # --- comparing --------------------------------------------------------------------------

    def _compared(self) -> tuple[list[Finding], list[Finding]]:
        """Return the findings that are gone, and those that are new."""
        with self._lock:
            before, fork = self._before, self._fork
        return ([], []) if before is None or fork is None else before.compared_with(fork)
