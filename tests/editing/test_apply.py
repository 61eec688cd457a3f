"""Applying: what was tried is written as it was shown, or not at all, and the user is told which."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.apply import apply, fix_all
from nz_explorer.editing.trial_edits.edited_documents import CannotEdit
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.findings import Finding
from nz_explorer.model import open_store
from nz_explorer.store.writing import JOURNAL, FolderWriter, Interrupted, WriteError
from tests.conftest import REPOSITORY, S3
from tests.corpus.cases import CASES, contents, write
from tests.editing.test_what_if import picture
from tests.store.crashes import contents as files
from tests.store.test_writing import plant
from tests.versions import not_with_the_oldest

CONS = ("NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004")


def tree(folder: Path) -> dict[str, str]:
    return {key: hashlib.sha256(data).hexdigest() for key, data in files(folder).items()}


def opened(source: Any, **options: Any) -> WhatIf:
    evaluation = evaluate(open_store(source, mode="r+", **options))
    evaluation.run()
    return WhatIf(evaluation)


# --- writing ------------------------------------------------------------------------------------


def test_what_was_tried_is_written(broken_copy: Path) -> None:
    what_if = opened(broken_copy)
    before = tree(broken_copy)
    fixed = fix_all(what_if)
    assert len(fixed.done) > 5
    assert fixed.failed == []
    predicted = picture(what_if.evaluation)
    after = {edit.key: edit.after for edit in what_if.edits}
    proposal = apply(what_if)
    assert tree(broken_copy) == before
    assert "+++ zarr.json" in repr(proposal)
    assert "Nothing has been written yet" in repr(proposal)
    assert "<pre" in proposal._repr_html_()
    applied = proposal.write()
    assert {key: (broken_copy / key).read_bytes() for key in after} == after
    assert {k: v for k, v in tree(broken_copy).items() if k not in after} == {
        k: v for k, v in before.items() if k not in after
    }
    assert {f.rule for f in applied.gone} >= {"TREE-002", "JSON-005", *CONS}
    assert sorted(applied.documents) == sorted(after)
    assert picture(what_if.base) == predicted  # read and checked again
    assert picture(evaluate(open_store(broken_copy))) != predicted  # not evaluated
    fresh = evaluate(open_store(broken_copy))
    fresh.run()
    assert picture(fresh) == predicted
    assert what_if.edits == []
    assert repr(apply(what_if)) == "<Proposal: nothing to write>"
    assert "documents written" in repr(applied)


def test_read_only_hierarchies_are_not_written(broken_copy: Path) -> None:
    evaluation = evaluate(open_store(broken_copy))
    evaluation.run()
    with pytest.raises(WriteError, match='opened read-only: open it with mode="r\\+"'):
        apply(WhatIf(evaluation))
    with pytest.raises(TypeError, match="hierarchy= is missing"):
        apply(evaluation.findings())


def test_findings_and_fixes_can_be_applied(broken_copy: Path) -> None:
    hierarchy = open_store(broken_copy, mode="r+")
    evaluation = evaluate(hierarchy)
    evaluation.run()
    finding = next(f for f in evaluation.findings() if f.rule == "NZ-SCAL-001")
    fix = finding.fix
    assert fix is not None
    assert apply([finding], hierarchy).edits == apply([fix], evaluation).edits
    applied = apply([finding], evaluation).write()
    assert applied.gone == [finding]
    with pytest.raises(CannotEdit, match="gone"):
        apply([finding], evaluation)


def test_a_finding_is_fixed_also_where_a_fix_before_has_changed_its_words(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"conventions": "NZ-1.0"})
    # rounded by whoever wrote it, as many do with this default of netCDF
    group.create_array("a", shape=(), dtype="f4", attributes={"_FillValue": 9.96921e36})
    report = nz.check(tmp_path, progress=False)
    found = [f for f in report.findings if f.rule in ("NZ-FILL-009", "NZ-FILL-006")]
    assert [f.rule for f in found] == ["NZ-FILL-009", "NZ-FILL-006"]
    applied = apply(found, open_store(tmp_path, mode="r+")).write()
    assert {f.rule for f in applied.gone} >= {"NZ-FILL-009", "NZ-FILL-006"}
    assert np.isfinite(xarray.open_zarr(tmp_path, consolidated=False)["a"].encoding["_FillValue"])


@pytest.mark.parametrize("rule", CONS)
def test_zarr_and_xarray_read_what_was_consolidated_again(broken_copy: Path, rule: str) -> None:
    """A stale, a missing and a ghost entry: found, fixed, and read as it is by others."""
    what_if = opened(broken_copy)
    found = [f for f in what_if.base.findings() if f.rule == rule]
    assert found
    for finding in found:
        what_if.apply(finding)
    apply(what_if).write()
    assert not [f for f in what_if.base.findings() if f.rule == rule]


def test_a_consolidated_store_that_others_read(tmp_path: Path) -> None:
    folder = tmp_path / "s.zarr"
    with warnings.catch_warnings():
        # zarr-python: consolidated metadata are not in the specification
        warnings.simplefilter("ignore")
        data = xarray.Dataset({"a": ("x", [1.0, 2.0]), "b": ("x", [3.0, 4.0])}, {"x": [0, 1]})
        data.to_zarr(folder, zarr_format=3)
    document = json.loads((folder / "zarr.json").read_text())
    entries = document["consolidated_metadata"]["metadata"]
    entries["a"]["attributes"]["units"] = "stale"
    entries["ghost"] = entries.pop("b")
    (folder / "zarr.json").write_text(json.dumps(document))
    what_if = opened(folder)
    rules = {f.rule: f for f in what_if.base.findings() if f.rule in CONS}
    assert set(rules) == set(CONS)
    assert rules["NZ-CONS-002"].pointer == "/attributes/units"
    apply(what_if.consolidate()).write()
    assert not [f for f in what_if.base.findings() if f.rule in CONS]
    group = zarr.open_consolidated(str(folder))
    assert sorted(group.array_keys()) == ["a", "b", "x"]
    assert "units" not in group["a"].attrs
    with xarray.open_zarr(folder, consolidated=True) as dataset:
        assert dataset["b"].values.tolist() == [3.0, 4.0]


def test_v2_consolidated(tmp_path: Path) -> None:
    for number, case in enumerate(c for c in CASES if c["rule"].startswith("NZ-CONS")):
        documents = contents(case)
        if (
            ".zmetadata" not in documents
            or case.get("unreadable")
            or not case.get("listable", True)
        ):
            continue
        folder = write(documents, tmp_path / str(number))
        what_if = opened(folder)
        fix_all(what_if, lambda f: f.rule.startswith("NZ-CONS"))
        apply(what_if).write()
        left = [f for f in what_if.base.findings() if f.rule in CONS]
        # What only the entry has is lost with it, so nobody takes it away unasked.
        assert not [f for f in left if f.fix is None or f.fix.safety == "safe"]


PARTS = 16
"""Of the corpus, so that workers share it."""
OFTEN = 8
"""How many times a part takes the same fixes: some are offered for nearly every store."""
NOT_KEPT = ("Z3-SHAPE-001: true",)
"""Cases with a safe fix after which xarray stops, so that it is taken back; a test of its own says why."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_safe_fix_of_the_corpus_cures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    """Fixes are taken in rounds; none fails, none brings the finding back, tokens are those shown."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a thousand stores wait long for the disk
    tried = 0
    taken: Counter[frozenset[str]] = Counter()
    for number, case in enumerate(CASES[part :: 2 * PARTS]):  # test_what_if takes the others
        if case.get("unreadable") or not case.get("listable", True):
            continue
        folder = write(contents(case), tmp_path / str(number))
        try:
            what_if = opened(folder)
        except nz.SourceError:
            continue
        rules = frozenset(f.rule for f in what_if.base.findings() if f.fix and f.fix.patch)
        taken[rules] += 1
        if taken[rules] > OFTEN:
            continue
        fixed = fix_all(what_if)
        # what is read although it is no JSON cannot be edited, and says so
        failed = [why for _, why in fixed.failed if not why.endswith("can only be written anew")]
        if case["name"] in NOT_KEPT:
            assert all(" would then stop at " in why for why in failed)
        else:
            assert failed == [], case["name"]
        if not fixed.done:
            continue
        tried += 1
        predicted = picture(what_if.evaluation)
        apply(what_if).write()
        assert picture(what_if.base) == predicted, case["name"]
        assert not fix_all(what_if).done, case["name"]
    assert tried > 5


def test_memory_and_s3(broken_copy: Path, s3: S3) -> None:
    from tests.store.test_writing import Failing

    documents = files(broken_copy)
    sources: list[tuple[Any, dict[str, Any]]] = [
        (Failing(documents), {}),
        (s3.upload(broken_copy, prefix="apply.zarr"), {"storage_options": s3.options}),
    ]
    for source, options in sources:
        what_if = opened(source, **options)
        finding = next(f for f in what_if.base.findings() if f.rule == "NZ-SCAL-001")
        applied = apply(what_if.apply(finding)).write()
        assert finding in applied.gone
        assert finding not in applied.left
        what_if.base.hierarchy.close()


# --- faults -------------------------------------------------------------------------------------


def _scal(what_if: WhatIf) -> Finding:
    return next(f for f in what_if.base.findings() if f.rule == "NZ-SCAL-001")


def test_a_store_that_was_changed_meanwhile_is_refused(broken_copy: Path) -> None:
    what_if = opened(broken_copy)
    proposal = apply(what_if.apply(_scal(what_if)))
    file = broken_copy / proposal.edits[0].key
    file.write_bytes(file.read_bytes() + b" ")
    before = tree(broken_copy)
    with pytest.raises(WriteError, match="has been changed by someone else since it was read"):
        proposal.write()
    assert tree(broken_copy) == before


def test_a_change_before_the_first_edit_is_noticed(broken_copy: Path) -> None:
    """What counts is when the document was read, not when the edit was made."""
    what_if = opened(broken_copy)
    finding = _scal(what_if)
    assert finding.fix is not None
    file = broken_copy / finding.fix.document
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(WriteError, match="changed by someone else"):
        apply(what_if.apply(finding)).write()


CHILD = """
import os, signal, sys
from nz_explorer.model import open_store
from nz_explorer.editing.apply import apply, fix_all
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.store.writing import FolderWriter

real = FolderWriter._replace
def replace(self, number, edit):
    if number == {at}:
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, number, edit)
FolderWriter._replace = replace
evaluation = evaluate(open_store({folder!r}, mode="r+"))
evaluation.run()
what_if = WhatIf(evaluation)
fix_all(what_if)
apply(what_if).write()
"""


def _killed(folder: Path, at: int) -> None:
    """Apply all safe fixes in a process that is killed before it writes its n-th document."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(at=at, folder=str(folder))],
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("at", [0, 2])
def test_killed_between_two_writes(broken_copy: Path, at: int) -> None:
    """The next one to write finds the journal, and refuses until somebody asks for recovery."""
    before = tree(broken_copy)
    _killed(broken_copy, at)
    torn = tree(broken_copy)
    assert ({k: v for k, v in torn.items() if not k.startswith(JOURNAL)} != before) == (at > 0)
    proposal = apply(opened(broken_copy).set("/", "/attributes/title", "T"))
    with pytest.raises(Interrupted, match="nothing was written; run nz-explorer fix --recover"):
        proposal.write()
    assert tree(broken_copy) == torn
    recovery = proposal.recover()
    assert recovery is not None
    assert recovery.state == "old"
    assert "the store was put back to the old one" in recovery.message
    assert tree(broken_copy) == before
    applied = apply(opened(broken_copy).set("/", "/attributes/title", "T")).write()
    changed = {key for key, digest in tree(broken_copy).items() if before.get(key) != digest}
    assert changed == set(applied.documents) == {"zarr.json"}


@not_with_the_oldest
def test_what_was_read_between_kill_and_recovery_is_not_built_on(broken_copy: Path) -> None:
    before = tree(broken_copy)
    _killed(broken_copy, 2)
    proposal = apply(opened(broken_copy).set("/forecast/height", "/attributes/comment", "T"))
    proposal.recover()
    with pytest.raises(WriteError, match="changed by someone") as caught:
        proposal.write()
    assert caught.value.state == "old"
    assert tree(broken_copy) == before


def test_a_planted_journal_is_not_recovered_by_writing(broken_copy: Path) -> None:
    plant(broken_copy, "forecast/height/c", None)
    before = tree(broken_copy)
    proposal = apply(opened(broken_copy).set("/", "/attributes/title", "T"))
    with pytest.raises(Interrupted):
        proposal.write()
    with pytest.raises(WriteError, match="left alone"):
        proposal.recover()
    assert tree(broken_copy) == before


def test_a_write_that_does_not_hold(broken_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what_if = opened(broken_copy)
    proposal = apply(what_if.apply(_scal(what_if)))
    real = FolderWriter.write

    def write_and_lose(self: FolderWriter, edits: Any) -> None:
        real(self, edits)
        (broken_copy / proposal.edits[0].key).write_bytes(b"{}")

    monkeypatch.setattr(FolderWriter, "write", write_and_lose)
    with pytest.raises(WriteError, match="is not what was just written"):
        proposal.write()


def test_another_one_is_writing(broken_copy: Path) -> None:
    what_if = opened(broken_copy)
    proposal = apply(what_if.apply(_scal(what_if)))
    with FolderWriter(broken_copy)._alone(), pytest.raises(Interrupted, match="under way"):
        proposal.write()


def test_a_full_disk_and_a_read_only_file(
    broken_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's own refusals are in tests/store/test_writing.py; here is what the user is told."""
    before = tree(broken_copy)
    what_if = opened(broken_copy)
    proposal = apply(what_if.apply(_scal(what_if)))
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: "height" not in str(path) and real(path, mode)
    )
    with pytest.raises(WriteError, match=r"is read-only: nothing was written"):
        proposal.write()
    assert tree(broken_copy) == before


# --- many ---------------------------------------------------------------------------------------


def test_unsafe_fixes_are_only_tried_when_asked_for(broken_copy: Path) -> None:
    safe, unsafe = opened(broken_copy), opened(broken_copy)
    done = {f.rule for f in fix_all(safe).done}
    more = {f.rule for f in fix_all(unsafe, unsafe=True).done}
    assert done < more
    for what_if in (safe, unsafe):
        for finding in what_if.evaluation.findings():
            fix = finding.fix
            assert fix is None or fix.safety != "safe" or not fix.patch
    assert [f for f in unsafe.evaluation.findings() if (x := f.fix) and x.safety == "suggest"]


def test_a_fix_that_does_not_help_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nz_explorer.engine.fixes import Draft, add, finish

    documents = contents({"base": "plain"})
    a = json.loads(documents["a/zarr.json"])
    a["dimension_names"] = ["y", None]
    what_if = opened(write({**documents, "a/zarr.json": json.dumps(a).encode()}, tmp_path))
    (finding,) = [f for f in what_if.base.findings() if f.rule == "NZ-DIM-004"]
    useless = finish(Draft("safe", (add("/attributes/x", 1),)), what_if.hierarchy["/a"])
    monkeypatch.setattr(type(finding), "fix", property(lambda _: useless))
    monkeypatch.setattr(type(finding), "fixes", property(lambda _: (useless,)))
    fixed = fix_all(what_if, lambda f: f.rule == "NZ-DIM-004")
    assert [(f.rule, why) for f, why in fixed.failed] == [
        ("NZ-DIM-004", "it does not cure the finding")
    ]
    assert what_if.edits == []


def consolidated_before(name: str) -> dict[str, bytes]:
    """Return a case of the corpus as a change after consolidating leaves it: the root has the entries of its base."""
    (case,) = (one for one in CASES if one["name"] == name)
    documents, base = contents(case), contents({"base": case["base"]})
    root, entries = json.loads(documents["zarr.json"]), {}
    for key, raw in base.items():
        if key.endswith("/zarr.json"):
            entries[key.removesuffix("/zarr.json")] = json.loads(raw)
    root["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": entries,
    }
    return {**documents, "zarr.json": json.dumps(root).encode()}


def test_no_reader_stops_after_fixes_at_what_it_has_read_before(tmp_path: Path) -> None:
    """The entry of a hides from xarray that its document has another length: true, which is 1 once it is mended."""
    folder = write(consolidated_before("Z3-SHAPE-001: true"), tmp_path / "s")
    assert xarray.open_zarr(folder, chunks=None).sizes == {"x": 3, "y": 2}
    what_if = opened(folder)
    fixed = fix_all(what_if)
    assert [(f.rule, why) for f, why in fixed.failed] == [
        (
            "Z3-SHAPE-001",
            "xarray would then stop at / (NZ-DIM-010, dimension x is 1 long in a and 3 long in x)",
        )
    ]
    apply(what_if).write()
    assert xarray.open_zarr(folder, chunks=None).sizes == {"x": 3, "y": 2}


def test_what_would_stop_a_reader_is_tried_again_after_other_fixes(tmp_path: Path) -> None:
    """Readers who read the document of a, and no longer its entry, find no names of dimensions until these are mended."""
    name = "NZ-DIM-001: whatever is wrong with the attributes"
    folder = write(consolidated_before(name), tmp_path / "s")
    what_if = opened(folder)
    fixed = fix_all(what_if)
    assert [f.rule for f in fixed.done] == ["NZ-DIM-001", "Z3-DOC-006"]
    assert fixed.failed == []
    apply(what_if).write()
    assert xarray.open_zarr(folder, chunks=None)["a"].dims == ("y", "x")


def test_the_public_names() -> None:
    assert nz.apply is apply
    assert nz.WhatIf is WhatIf


@pytest.mark.parametrize(
    ("shape", "names", "order"),
    [
        ((4, 3), ("lat", "time"), ["time", "lat"]),
        ((2, 4, 3), ("time", "lat", "lon"), ["lon", "time", "lat"]),
        ((4, 5), ("lat", "time"), None),
        ((4, 3), ("lat", "x"), None),
    ],
)
def test_exchanged_dimension_names_are_put_into_the_order_that_fits(
    tmp_path: Path, shape: tuple[int, ...], names: tuple[str, ...], order: list[str] | None
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    for name, length in (("time", 4), ("lat", 3), ("lon", 2)):
        root.create_array(name, data=np.arange(length), dimension_names=[name])
    root.create_array("t", data=np.ones(shape), dimension_names=names)
    what_if = opened(tmp_path / "s.zarr")
    finding = next(f for f in what_if.evaluation.findings() if f.rule == "NZ-DIM-010")
    assert ("in the order" in finding.message) is (order is not None)
    if order:
        what_if.apply(finding)
        assert list(what_if.hierarchy["/t"].dimension_names) == order  # type: ignore[attr-defined]
        assert "NZ-DIM-010" not in {f.rule for f in what_if.evaluation.findings()}
        apply(what_if).write()
        data = xarray.open_zarr(tmp_path / "s.zarr", consolidated=False)
        assert list(data["t"].dims) == order
