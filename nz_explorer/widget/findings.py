"""Findings as the browser shows them."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from typing import Any

import jsonpatch
import jsonpointer

from nz_explorer.model import Document, Node
from nz_explorer.rules.engine import Evaluation
from nz_explorer.rules.findings import SEVERITIES
from nz_explorer.rules.fixes import Fix
from nz_explorer.widget import protocol

MAX_DIFF_BYTES = 256 * 1024


def page(
    evaluation: Evaluation, path: str, below: bool, offset: int, limit: int
) -> protocol.FindingsResult:
    """Return a page of findings, errors first."""
    order = {severity: i for i, severity in enumerate(SEVERITIES)}
    found = sorted(
        evaluation.findings(path, below=below),
        key=lambda f: (order[f.severity], f.rule, f.path, f.pointer),
    )
    shown = found[offset : offset + limit]
    seen = Counter(finding.severity for finding in found)
    return protocol.FindingsResult(
        path=path,
        below=below,
        offset=offset,
        total=len(found),
        counts=protocol.Counts(
            seen["error"], seen["warning"], seen["info"], evaluation.counts(path).complete
        ),
        findings=[
            protocol.Finding(f.rule, f.level, f.severity, f.path, f.pointer, f.message)
            for f in shown
        ],
        rules={f.rule: protocol.RuleInfo(f.info.title, str(f.info.source)) for f in shown},
        not_evaluated=len(evaluation.not_evaluated(path, below=below)),
    )


def diff(fix: Fix, node: Node | None) -> str | None:
    """Return what a fix changes in its document as a unified diff, None where that cannot be shown."""
    if not fix.patch:
        return None
    document = next((d for d in (node.documents if node else ()) if d.key == fix.document), None)
    if document is not None and (not document.ok or len(document.raw or b"") > MAX_DIFF_BYTES):
        return None
    before: Any = {} if document is None else _value(document)
    try:
        after = jsonpatch.apply_patch(before, [dict(operation) for operation in fix.patch])
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
        return None
    lines = difflib.unified_diff(
        _lines(before) if document is not None else [],
        _lines(after),
        fix.document,
        fix.document,
        n=2,
        lineterm="",
    )
    return "\n".join(lines)


def _value(document: Document) -> Any:
    return json.loads(json.dumps(document.value, default=dict))


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, ensure_ascii=False).splitlines()
